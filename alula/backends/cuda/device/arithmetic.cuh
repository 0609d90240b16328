// Sums of products: the types that they are added up in, and a step of them.

template <class T>
struct SumOf {
  typedef T Type;
};
template <>
struct SumOf<Half> {
  typedef float Type;
};
template <>
struct SumOf<BFloat16> {
  typedef float Type;
};
template <class T>
using SumType = typename SumOf<T>::Type;

// a * b + sum, rounded once.
DEVICE float add_product(float a, float b, float sum) { return __fmaf_rn(a, b, sum); }
DEVICE double add_product(double a, double b, double sum) { return fma(a, b, sum); }
template <class T>
DEVICE T add_product(T a, T b, T sum) {
  return op_add(op_mul(a, b), sum);
}
DEVICE float op_add(float a, float b) { return a + b; }
DEVICE double op_add(double a, double b) { return a + b; }
