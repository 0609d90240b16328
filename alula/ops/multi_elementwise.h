#pragma once
#include "alula/runtime/dispatch.h"
#include "alula/scalar/program.h"

namespace alula {

/// One scalar program over many groups of tensors in one call: what an optimizer does to all
/// variables at once.
///
/// Inputs: first `shared` scalars that all groups read (a step's learning rate: a tensor, so that
/// it can change without a new op), then group after group: tensors of one shape, the group's, and
/// `scalars` scalars of the group's own. Outputs: group after group, the program's results in the
/// group's shape. With `dispatch_into` they may take the place of inputs.
struct MultiElementwise final : OpOf<MultiElementwise> {
  static constexpr const char* kName = "multi_elementwise";
  static constexpr DTypeSet kDTypes = kFloating;
  static constexpr bool kDifferentiable = false;

  const scalar::Program* program;  // must outlive the op and its clones
  int shared = 0;
  int scalars = 0;
  InlineVector<double, 8> parameters;

  explicit MultiElementwise(const scalar::Program& program) : program(&program) {}
  const char* name() const override { return program->name().c_str(); }
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;

  /// The inputs of one group.
  size_t group_inputs() const { return program->inputs().size() - static_cast<size_t>(shared); }
};

}  // namespace alula
