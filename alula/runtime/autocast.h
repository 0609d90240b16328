#pragma once
#include "alula/runtime/variable.h"

namespace alula {

/// A bit of ThreadState::flags: variables are read as another dtype in this thread.
inline constexpr uint32_t kAutocasting = 1U << 30;

/// While one lives, floating variables that are read in its thread (`Variable::value`) give their
/// value in another dtype, though they keep their own: what mixed precision stands on. Tapes see
/// the variable being read and then the cast, so that gradients are of the variable's dtype.
///   const AutocastScope scope(bfloat16, cast);
///   matmul(x, kernel);             // with the kernel as bfloat16
/// Without a dtype variables are read as they are, whatever scope is around.
class AutocastScope {
 public:
  /// How a value is cast: ops are not known here.
  using Cast = Tensor (*)(const Tensor& value, DType dtype);
  AutocastScope();
  AutocastScope(DType dtype, Cast cast);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  struct {
    DType dtype;
    Cast cast;
    bool active;
  } outer_;
};

/// What a variable gives in the scope under way, for its value as it is. Only while `kAutocasting`.
Tensor autocast(const Tensor& value);

/// What is assigned to a variable: the value, cast to its dtype if it was read as another one.
Tensor as_stored(const Tensor& value, const Variable& variable);

/// The value of a variable in its own dtype, whatever scope is around: for whoever runs what was
/// traced before.
Tensor stored_value(const Variable& variable);

}  // namespace alula
