#pragma once
#include "alula/ops/gather.h"
#include "alula/scalar/program.h"

namespace alula {

/// Slices picked by `gather`, and an elementwise function of them, in one: images scaled, or an
/// embedding's rows added to, on their way. Made by the compiler.
///
/// Inputs: those of `gather`, with any axis and batch dimensions, but no strings; then the
/// function's others: tensors of the shape of what is picked, rows ([n], [1, …, n]) or columns
/// ([…, 1]) of it, or single values. Outputs: the function's results, of that shape and any dtype.
struct GatherElementwise final : OpOf<GatherElementwise> {
  static constexpr const char* kName = "gather_elementwise";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kDifferentiable = false;

  Gather gather;
  const scalar::Program* program;  // its first input is what is picked; lives longer than the op

  GatherElementwise(const Gather& gather, const scalar::Program& program)
      : gather(gather), program(&program) {}
  const char* name() const override { return program->name().c_str(); }
  Attributes attributes() const override;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

}  // namespace alula
