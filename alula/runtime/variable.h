#pragma once
#include <memory>
#include <string>

#include "alula/core/tensor.h"

namespace alula {

struct VariableOptions {
  bool trainable = true;
  std::string name = "Variable";
};

/// A named tensor that can be changed: the only state there is. Copies of a Variable are the same
/// one.
///   Variable w({{1.f, 2.f}}, {.name = "w"});
///   w.assign_add(w * 0.5f);        // {{1.5, 3}}
/// It stands wherever a tensor does.
class Variable {
 public:
  /// No variable: `defined()` is false.
  Variable() = default;
  explicit Variable(const Tensor& initial_value, const VariableOptions& options = {});

  bool defined() const { return state_ != nullptr; }
  const std::string& name() const { return state().name; }
  DType dtype() const { return state().value.dtype(); }
  const Shape& shape() const { return state().value.shape(); }
  const Spec& spec() const { return state().value.spec(); }
  Device device() const { return state().value.device(); }
  int64_t size() const { return shape().size(); }

  /// Whether tapes watch it, and optimizers change it.
  bool trainable() const { return state().trainable; }
  void set_trainable(bool trainable) { state().trainable = trainable; }

  /// The value as it is now. A later assignment doesn't change what this returned.
  Tensor value() const;
  operator Tensor() const { return value(); }

  /// Puts a value of the same dtype and shape in its place.
  void assign(const Tensor& value);
  void assign_add(const Tensor& delta);
  void assign_sub(const Tensor& delta);

  /// For `update_variables`, which writes it in place.
  Tensor& storage() const { return state().value; }
  /// The same variable, not just an equal one.
  bool same_as(const Variable& other) const { return state_ == other.state_; }
  /// What a tape knows it by.
  const void* key() const { return state_.get(); }

  std::string str() const { return state().value.str(); }

 private:
  struct State {
    std::string name;
    Tensor value;
    bool trainable = true;
  };
  State& state() const {
    if (state_ == nullptr) [[unlikely]]
      fail_undefined();
    return *state_;
  }
  [[noreturn, gnu::cold]] static void fail_undefined();
  void check(const char* who, const Tensor& value) const;
  void update(const char* who, const Tensor& delta, bool subtract);

  std::shared_ptr<State> state_;
};

inline std::string to_string(const Variable& variable) { return variable.str(); }

}  // namespace alula

template <>
struct fmt::formatter<alula::Variable> : alula::TextFormatter<alula::Variable> {};
