#pragma once
#include "alula/ops/elementwise.h"
#include "alula/ops/reduce.h"

namespace alula {

/// An elementwise function and a reduction of its result in one: sum(x * y), max(|x|). What the
/// function makes is reduced while it is in the cache, and never written. Made by the compiler.
///
/// Inputs: the function's, which broadcast to one shape. Output: that shape, reduced along `axis`.
///   ElementwiseReduce(square_program, ElementwiseReduce::Kind::kSum, {.axis = 1})
struct ElementwiseReduce final : OpOf<ElementwiseReduce>, ReduceOptions {
  static constexpr const char* kName = "elementwise_reduce";
  static constexpr DTypeSet kDTypes = kNumeric;
  static constexpr bool kDifferentiable = false;
  enum class Kind : uint8_t { kSum, kMean, kProd, kMax, kMin };

  const scalar::Program* program;  // has one result; must outlive the op and its clones
  Kind kind;
  /// The numbers given with this call.
  std::array<double, ElementwiseOp::kMostParameters> parameters{};

  ElementwiseReduce(const scalar::Program& program, Kind kind, const ReduceOptions& options = {})
      : ReduceOptions(options), program(&program), kind(kind) {}
  const char* name() const override { return program->name().c_str(); }
  Attributes attributes() const override;
  Specs infer(SpecRefs inputs) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;

  /// What the function makes, before it is reduced.
  Spec elements(SpecRefs inputs) const;
};

/// "sum", "mean", …
const char* name_of(ElementwiseReduce::Kind kind);

}  // namespace alula
