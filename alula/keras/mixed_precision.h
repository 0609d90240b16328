#pragma once
#include <string>

#include "alula/core/dtype.h"

namespace alula::keras {

/// What a layer computes in, and what its weights are kept in.
///   Policy("mixed_bfloat16").compute_dtype()   ->  bfloat16
///   Policy("mixed_bfloat16").variable_dtype()  ->  float32
///   Policy(float64).name()                     ->  "float64"
/// A layer takes one where it takes a dtype: Dense({.units = 10, .dtype = "mixed_float16"}).
class Policy {
 public:
  /// Both are this dtype.
  constexpr Policy(DType dtype) : compute_(dtype), variable_(dtype) {}
  /// "mixed_float16", "mixed_bfloat16", or the name of a dtype.
  Policy(const char* name) : Policy(std::string(name)) {}
  Policy(const std::string& name);

  DType compute_dtype() const { return compute_; }
  DType variable_dtype() const { return variable_; }
  bool is_mixed() const { return compute_ != variable_; }
  std::string name() const;
  bool operator==(const Policy&) const = default;

 private:
  DType compute_, variable_;
};

inline std::string to_string(const Policy& policy) { return policy.name(); }

namespace mixed_precision {

using keras::Policy;

/// The policy of layers and models that are made from now on without a dtype of their own. Those
/// made before keep theirs.
///   mixed_precision::set_global_policy("mixed_bfloat16");
void set_global_policy(const Policy& policy);
/// float32 unless it was set.
Policy global_policy();

}  // namespace mixed_precision
}  // namespace alula::keras
