#pragma once
#include <cstdint>

namespace alula::cpu {

/// A matrix anywhere in memory: element (i, j) stands at data[i * row + j * column].
template <class T>
struct Matrix {
  const T* data;
  int64_t row;
  int64_t column;

  Matrix transposed() const { return {data, column, row}; }
};

/// c = a b, where c is [m, n], its rows `row` elements apart. All threads of the team take part if
/// the work is worth it. T is float, double or an unsigned integer (sums that wrap around are the
/// same bits for signed ones).
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row);

}  // namespace alula::cpu
