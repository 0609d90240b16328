#pragma once
#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"

/// What the ops on matrices [..., rows, columns] share.
namespace alula {

/// What decompositions are computed in.
inline constexpr DTypeSet kMatrixTypes{float32, float64};

/// An error unless these are matrices of a dtype that decompositions take, and square ones.
void require_matrices(const char* who, const Spec& x);
void require_square(const char* who, const Spec& x);

/// The last two sizes, and the shape before them.
inline int64_t rows_of(const Shape& shape) { return shape[shape.rank() - 2]; }
inline int64_t columns_of(const Shape& shape) { return shape[shape.rank() - 1]; }
inline Shape batch_of(const Shape& shape) { return shape.slice(0, shape.rank() - 2); }
/// The smaller one of two sizes; unknown if one of them is.
int64_t smaller(int64_t a, int64_t b);

/// The two tensors with all batch dimensions that they broadcast to.
struct WithBatch {
  WithBatch(const char* who, const Tensor& a, const Tensor& b);
  Tensor a, b;
};

/// The base of these ops: leading dimensions are batches.
template <class Derived>
struct MatrixOp : OpOf<Derived> {
  static constexpr DTypeSet kDTypes = kMatrixTypes;

  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override {
    return batching::with_leading(*this, inputs, size);
  }
  /// About two operations for each element of the first input and each of its shorter side.
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override {
    Cost cost = Op::cost(inputs, outputs);
    const Shape& a = inputs[0].shape;
    cost.flops = 2.0 * static_cast<double>(a.size()) *
                 static_cast<double>(std::min(rows_of(a), columns_of(a)));
    return cost;
  }
};

}  // namespace alula
