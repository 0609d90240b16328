#include "alula/ops/matrix_op.h"

#include <algorithm>

#include "alula/ops/tile.h"

namespace alula {

void require_matrices(const char* who, const Spec& x) {
  require(kMatrixTypes.contains(x.dtype), "{}: takes {}. Got {}. Use cast().", who, kMatrixTypes,
          x);
  require(x.rank() >= 2, "{}: takes matrices [..., rows, columns]. Got {}. Use expand_dims().", who,
          x);
}

void require_square(const char* who, const Spec& x) {
  require_matrices(who, x);
  const int64_t m = rows_of(x.shape), n = columns_of(x.shape);
  require(m == n || m == kUnknown || n == kUnknown, "{}: the matrices must be square. Got {}.", who,
          x);
}

int64_t smaller(int64_t a, int64_t b) {
  return a == kUnknown || b == kUnknown ? kUnknown : std::min(a, b);
}

WithBatch::WithBatch(const char* who, const Tensor& a, const Tensor& b) : a(a), b(b) {
  require(a.defined() && b.defined(), "{}: an input is not defined yet.", who);
  if (a.rank() < 2 || b.rank() < 2) return;  // the op says what is wrong
  const Shape of_a = batch_of(a.shape()), of_b = batch_of(b.shape());
  if (of_a == of_b) return;
  const Shape batch = broadcast(who, of_a, of_b);
  if (of_a != batch) this->a = broadcast_to(a, batch + a.shape().slice(a.rank() - 2, a.rank()));
  if (of_b != batch) this->b = broadcast_to(b, batch + b.shape().slice(b.rank() - 2, b.rank()));
}

}  // namespace alula
