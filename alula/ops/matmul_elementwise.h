#pragma once
#include "alula/ops/matmul.h"
#include "alula/scalar/program.h"

namespace alula {

/// A product of matrices and an elementwise function of it in one, bias and activation for example:
/// each part of the product is passed on while it is in the cache. Made by the compiler.
///
/// Inputs: those of `matmul`, then the function's others: tensors of the product's shape, vectors
/// along its columns ([n] or [1, …, n]), or single values. Outputs: the function's results, of the
/// product's shape; the first has its dtype, too.
struct MatMulElementwise final : OpOf<MatMulElementwise> {
  static constexpr const char* kName = "matmul_elementwise";
  static constexpr DTypeSet kDTypes = kFloating;
  static constexpr bool kDifferentiable = false;

  MatMul product;
  const scalar::Program* program;  // its first input is the product; lives longer than the op

  MatMulElementwise(const MatMul& product, const scalar::Program& program)
      : product(product), program(&program) {}
  const char* name() const override { return program->name().c_str(); }
  Attributes attributes() const override;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

/// Whether an operand of this shape can stand beside rows of results of the other: it is as large,
/// one row of them ([n], [1, …, n]), one column ([…, 1]), or a single value.
bool fits_rows_of(const Shape& operand, const Shape& results);
/// Whether it is one column, but not all of the results: a value for each row.
bool is_column_of(const Shape& operand, const Shape& results);

}  // namespace alula
