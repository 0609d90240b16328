#pragma once
#include "alula/ops/axes.h"
#include "alula/ops/data_movement.h"

namespace alula {

/// A sum of products over some axes of two tensors. `axes_a` and `axes_b` are as many; the result
/// has the other axes of a, then those of b. Numbers.
///   tensordot(a, b, {1}, {0})   matmul of matrices
Tensor tensordot(const Tensor& a, const Tensor& b, const Ints& axes_a, const Ints& axes_b);
/// The last `axes` of a with the first of b.
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t axes);

enum class Indexing : uint8_t { kXY, kIJ };
/// Coordinates of a grid, each a tensor of the grid's shape; with kXY the first two dimensions are
/// exchanged.
///   meshgrid({{1, 2}, {3, 4, 5}})[0]  ->  {{1, 2}, {1, 2}, {1, 2}}
std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, Indexing indexing = Indexing::kXY);

/// Functions of matrices, the last two dimensions; those before are batches.
namespace linalg {

/// Matrices with a vector along their diagonal, k places above the main one, and zeros elsewhere.
/// diagonal: [..., n], result: [..., n + |k|, n + |k|]. Numbers and bools.
///   diag({1, 2})  ->  {{1, 0}, {0, 2}}
Tensor diag(const Tensor& diagonal, int64_t k = 0);
/// The diagonal k places above the main one: [..., m, n] -> [..., length].
///   diag_part({{1, 2}, {3, 4}})  ->  {1, 4}
Tensor diag_part(const Tensor& input, int64_t k = 0);
/// The same matrices with another main diagonal: [..., min(m, n)].
Tensor set_diag(const Tensor& input, const Tensor& diagonal);
/// Zeros but for the main diagonal, num_lower ones below it and num_upper above; a negative number
/// is all of them.
///   band_part({{1, 2}, {3, 4}}, 0, -1)  ->  {{1, 2}, {0, 4}}
Tensor band_part(const Tensor& input, int64_t num_lower, int64_t num_upper);
/// The sum of the main diagonal. Numbers.
Tensor trace(const Tensor& x);
/// The cross product of vectors [..., 3]. Numbers.
Tensor cross(const Tensor& a, const Tensor& b);
/// The last two dimensions exchanged.
Tensor matrix_transpose(const Tensor& a);
/// A matrix times a vector: [..., m, n], [..., n] -> [..., m].
Tensor matvec(const Tensor& a, const Tensor& b);

}  // namespace linalg
}  // namespace alula
