#pragma once
#include <cmath>

#include "alula/ops/matrix.h"
#include "alula/ops/matrix_op.h"
#include "alula/testing/gradients.h"

/// What the tests of decompositions share: plain matrices, and functions of them.
namespace alula::testing {

/// How near float32 and float64 results come, with some rounding on the way.
inline Tolerance matrix_tolerance(DType dtype) {
  return {.relative = dtype == float32 ? 2e-5 : 1e-11};
}

/// The shapes that decompositions are tested with: batches, single elements, nothing at all.
inline std::vector<Shape> square_shapes() {
  return {{1, 1}, {2, 2}, {5, 5}, {3, 4, 4}, {2, 1, 3, 3}, {0, 3, 3}, {2, 0, 0}, {33, 33}};
}
inline std::vector<Shape> matrix_shapes() {
  return {{1, 1},    {4, 4},    {5, 3}, {3, 5}, {2, 4, 2},
          {2, 2, 4}, {0, 3, 2}, {3, 0}, {0, 3}, {20, 40}};
}

/// Random square matrices that are far from singular: their diagonals are raised.
inline Tensor far_from_singular(const Spec& spec) {
  Array x = to_array(random_tensor(spec, {-1, 1}));
  const int64_t n = columns_of(spec.shape);
  for (int64_t i = 0; i < x.size(); ++i)
    if (i % n == i / n % n) x.values[i] += std::sqrt(static_cast<double>(n)) + 2;
  return to_tensor(x, spec.dtype);
}

/// One matrix, by row and column.
struct Plain {
  int64_t rows, columns;
  std::vector<double> values;

  Plain(int64_t rows, int64_t columns) : rows(rows), columns(columns), values(rows * columns) {}
  static Plain identity(int64_t n) {
    Plain result(n, n);
    for (int64_t i = 0; i < n; ++i) result(i, i) = 1;
    return result;
  }
  double& operator()(int64_t i, int64_t j) { return values[i * columns + j]; }
  double operator()(int64_t i, int64_t j) const { return values[i * columns + j]; }
};

inline Plain operator*(const Plain& a, const Plain& b) {
  Plain result(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      for (int64_t k = 0; k < a.columns; ++k) result(i, j) += a(i, k) * b(k, j);
  return result;
}

inline Plain transposed(const Plain& a) {
  Plain result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}

/// The solution by elimination of Gauss and Jordan; the determinant is noted on the way.
inline Plain plain_solve(Plain a, Plain b, double* determinant = nullptr) {
  double det = 1;
  for (int64_t k = 0; k < a.rows; ++k) {
    int64_t pivot = k;
    for (int64_t i = k; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    if (pivot != k) det = -det;
    for (int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(pivot, j));
    for (int64_t j = 0; j < b.columns; ++j) std::swap(b(k, j), b(pivot, j));
    const double scale = a(k, k);
    det *= scale;
    for (int64_t j = 0; j < a.columns; ++j) a(k, j) /= scale;
    for (int64_t j = 0; j < b.columns; ++j) b(k, j) /= scale;
    for (int64_t i = 0; i < a.rows; ++i) {
      const double factor = a(i, k);
      if (i == k) continue;
      for (int64_t j = 0; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
      for (int64_t j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  if (determinant != nullptr) *determinant = det;
  return b;
}

/// Matrix `i` of a batch.
inline Plain plain_matrix(const Array& x, int64_t i) {
  Plain result(rows_of(x.shape), columns_of(x.shape));
  const auto size = static_cast<int64_t>(result.values.size());
  std::copy_n(x.values.begin() + i * size, size, result.values.begin());
  return result;
}

/// `f` of the matrices of all inputs, batch by batch: [..., rows, columns] of what it gives.
template <class F>
Array for_matrices(const std::vector<Array>& inputs, int64_t rows, int64_t columns, const F& f) {
  const Shape batch = batch_of(inputs[0].shape);
  Array result(batch + Shape{rows, columns});
  for (int64_t i = 0; i < batch.size(); ++i) {
    std::vector<Plain> matrices;
    for (const Array& input : inputs) matrices.push_back(plain_matrix(input, i));
    const Plain one = f(matrices);
    std::copy(one.values.begin(), one.values.end(),
              result.values.begin() + i * static_cast<int64_t>(one.values.size()));
  }
  return result;
}

/// Identity matrices, as many as the batch has.
inline Array identities(const Shape& batch, int64_t n) {
  return for_matrices({Array(batch + Shape{n, n})}, n, n,
                      [&](const auto&) { return Plain::identity(n); });
}

}  // namespace alula::testing
