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

/// A rectangle of a matrix.
struct Part {
  int64_t row, rows, column, columns;
};

/// Called with parts of a product as they become final, by the thread that made them and while they
/// are in its cache. Together they cover all of it.
class Epilogue {
 public:
  virtual ~Epilogue() = default;
  virtual void finish(const Part& part) const = 0;
};

/// c = a b, where c is [m, n], its rows `row` elements apart. All threads of the team take part if
/// the work is worth it. T is float, double or an unsigned integer (sums that wrap around are the
/// same bits for signed ones). `epilogue` may be null.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row,
          const Epilogue* epilogue = nullptr);

}  // namespace alula::cpu
