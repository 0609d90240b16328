#pragma once
#include "alula/ops/reduce.h"

namespace alula {

/// The square root of the sum of the squares along some axes. Numbers; integers as floats, cast
/// back.
///   reduce_euclidean_norm({3.f, 4.f})  ->  5
Tensor reduce_euclidean_norm(const Tensor& x, const ReduceOptions& options = {});

namespace linalg {

/// The length of all tensors together, as if they were one vector: a scalar. Floating types.
///   global_norm({{3.f}, {4.f}})  ->  5
Tensor global_norm(const std::vector<Tensor>& tensors);

/// Which norm: "euclidean" (or "fro", of matrices), or p: the p-th root of the sum of p-th powers;
/// infinity is the largest size.
struct NormOrder {
  double p = 2;
  bool euclidean = true;
  NormOrder() = default;
  NormOrder(double p) : p(p), euclidean(false) {}
  NormOrder(std::string_view word);
  NormOrder(const char* word) : NormOrder(std::string_view(word)) {}
};
struct NormOptions {
  NormOrder ord;
  Axes axis;  // one for vectors, two for matrices; all elements as one vector unless given
  bool keepdims = false;
};
/// The norm of vectors, of matrices or of all elements. Of matrices: "euclidean", 1 (the largest
/// column) or infinity (the largest row). Floating types.
///   linalg::norm({3.f, 4.f})                ->  5
///   linalg::norm({3.f, -4.f}, {.ord = 1})   ->  7
Tensor norm(const Tensor& x, const NormOptions& options = {});

}  // namespace linalg

struct ClipByNormOptions {
  Axes axes;  // those that a length is of; all of them unless given
};
/// x, made shorter where its length along the axes is above clip_norm, a scalar. Floating types.
///   clip_by_norm({3.f, 4.f}, Tensor(1.f))  ->  {0.6, 0.8}
Tensor clip_by_norm(const Tensor& x, const Tensor& clip_norm,
                    const ClipByNormOptions& options = {});

struct ClippedByGlobalNorm {
  std::vector<Tensor> tensors;
  Tensor global_norm;
};
/// All tensors times clip_norm / global_norm if that is below 1. A length that is not finite makes
/// all of them NaN. `use_norm`, unless undefined, is taken for the length.
ClippedByGlobalNorm clip_by_global_norm(const std::vector<Tensor>& tensors, const Tensor& clip_norm,
                                        const Tensor& use_norm = {});

}  // namespace alula
