#pragma once
#include "alula/graph/compat/graph_state.h"

namespace alula::compat::v1::internal {

/// A call that changes a variable, and gives its new value.
class Assignment final : public Call {
 public:
  enum class Kind : uint8_t { kSet, kAdd, kSubtract };
  Assignment(Kind kind, Tensor variable, const Tensor& value)
      : Call({value}), kind_(kind), variable_(std::move(variable)) {}

  Kind kind() const { return kind_; }
  /// The tensor that stands for the variable.
  const Tensor& variable() const { return variable_; }
  const VariableNote& note() const { return *variable_.note<VariableNote>(); }
  Tensors run(std::span<const Tensor> values) const override;

 private:
  Kind kind_;
  Tensor variable_;
};

}  // namespace alula::compat::v1::internal
