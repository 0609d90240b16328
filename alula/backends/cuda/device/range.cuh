// Sequences of numbers, and rows with one number that differs.

// Integers wrap around.
template <class T>
KERNEL void count_up(T* to, long long count, T start, long long delta) {
  for (long long i = first<long long>(); i < count; i += stride<long long>())
    to[i] = (T)((unsigned long long)start + (unsigned long long)i * (unsigned long long)delta);
}

// Each number from its place, not from the one before: no error adds up.
template <class T>
KERNEL void spaced(T* to, long long count, double start, double step, double last) {
  for (long long i = first<long long>(); i < count; i += stride<long long>())
    to[i] = op_cast<T>(i + 1 == count ? last : start + (double)i * step);
}

// The result is [outer, depth, inner], with `on` where the position of [outer, inner] says.
template <class T, class I, class Index>
KERNEL void one_hot(const I* indices, T* to, Index count, Divider<Index> depth,
                    Divider<Index> inner, T on, T off) {
  for (Index i = first<Index>(); i < count; i += stride<Index>()) {
    const Index row = inner.divide(i), outer = depth.divide(row);
    const long long position = row - outer * depth.divisor;
    const I index = indices[outer * inner.divisor + (i - row * inner.divisor)];
    to[i] = (long long)index == position ? on : off;
  }
}
