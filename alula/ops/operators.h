#pragma once
#include "alula/ops/add.h"
#include "alula/ops/divide.h"
#include "alula/ops/equal.h"
#include "alula/ops/greater.h"
#include "alula/ops/greater_equal.h"
#include "alula/ops/less.h"
#include "alula/ops/less_equal.h"
#include "alula/ops/logical_and.h"
#include "alula/ops/logical_not.h"
#include "alula/ops/logical_or.h"
#include "alula/ops/mod.h"
#include "alula/ops/mul.h"
#include "alula/ops/neg.h"
#include "alula/ops/not_equal.h"
#include "alula/ops/sub.h"

/// The operators of tensors, and of variables as their values: elementwise with broadcasting, and
/// with C++ numbers on either side, which take the tensor's dtype.
///   Tensor x = {1.f, 2.f};
///   (1 - x) * x > -1  ->  {true, false}
/// All are elementwise, as in TensorFlow: == too, and && and ||, whose operands are both computed.
namespace alula {

template <class T>
concept TensorLike = std::derived_from<T, Tensor> || std::same_as<T, Variable>;
/// The operands of a tensor operator: two tensors or variables, or one of them and a number.
template <class A, class B>
concept TensorOperands =
    (TensorLike<A> && (TensorLike<B> || Arithmetic<B>)) || (Arithmetic<A> && TensorLike<B>);

inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator!(const Tensor& x) { return logical_not(x); }

template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator+(const A& a, const B& b) {
  return add(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator-(const A& a, const B& b) {
  return sub(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator*(const A& a, const B& b) {
  return mul(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator/(const A& a, const B& b) {
  return divide(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator%(const A& a, const B& b) {
  return mod(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator==(const A& a, const B& b) {
  return equal(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator!=(const A& a, const B& b) {
  return not_equal(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator<(const A& a, const B& b) {
  return less(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator<=(const A& a, const B& b) {
  return less_equal(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator>(const A& a, const B& b) {
  return greater(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator>=(const A& a, const B& b) {
  return greater_equal(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator&&(const A& a, const B& b) {
  return logical_and(a, b);
}
template <class A, class B>
  requires TensorOperands<A, B>
Tensor operator||(const A& a, const B& b) {
  return logical_or(a, b);
}

/// x += y makes x stand for the sum; other tensors that shared its elements keep theirs.
template <class B>
  requires TensorOperands<Tensor, B>
Tensor& operator+=(Tensor& a, const B& b) {
  return a = a + b;
}
template <class B>
  requires TensorOperands<Tensor, B>
Tensor& operator-=(Tensor& a, const B& b) {
  return a = a - b;
}
template <class B>
  requires TensorOperands<Tensor, B>
Tensor& operator*=(Tensor& a, const B& b) {
  return a = a * b;
}
template <class B>
  requires TensorOperands<Tensor, B>
Tensor& operator/=(Tensor& a, const B& b) {
  return a = a / b;
}
template <class B>
  requires TensorOperands<Tensor, B>
Tensor& operator%=(Tensor& a, const B& b) {
  return a = a % b;
}

}  // namespace alula
