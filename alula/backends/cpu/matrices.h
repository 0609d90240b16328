#pragma once
#include "alula/ops/matrix_op.h"
#include "alula/runtime/team.h"

namespace alula::cpu {

/// Calls `body(i)` for each matrix of a batch, some of them at once. `flops` is what one takes.
template <class F>
void for_each_matrix(int64_t count, double flops, F&& body) {
  constexpr double kNanosecondsAFlop = 0.5, kLeast = 200;
  team::parallel_for(count, kLeast + kNanosecondsAFlop * flops, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

/// The number of matrices, and the sizes of each.
struct Matrices {
  explicit Matrices(const Shape& shape)
      : count(batch_of(shape).size()), rows(rows_of(shape)), columns(columns_of(shape)) {}
  int64_t size() const { return rows * columns; }
  /// The operations of most decompositions: some times this.
  double flops() const {
    return 2.0 * static_cast<double>(size()) * static_cast<double>(std::min(rows, columns));
  }
  int64_t count, rows, columns;
};

/// Calls `f(Type<T>)` for the dtypes of these ops.
template <class F>
void with_matrix_type(DType dtype, F&& f) {
  if (dtype == float32) {
    f(Type<float>());
  } else {
    f(Type<double>());
  }
}

}  // namespace alula::cpu
