// Places of values among others.

DEVICE float comparable(Half x) { return to_float(x); }
DEVICE float comparable(BFloat16 x) { return to_float(x); }
template <class T>
DEVICE T comparable(T x) {
  return x;
}

// Rows of n ascending elements, and of m values.
template <class T, class Index>
KERNEL void search_sorted(const T* sorted, const T* values, Index* out, long long count,
                          long long n, long long m, int right) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) {
    const T* row = sorted + i / m * n;
    const auto value = comparable(values[i]);
    long long begin = 0;
    for (long long left = n; left > 0;) {
      const long long half = left / 2;
      const auto middle = comparable(row[begin + half]);
      if (right ? !(value < middle) : middle < value) {
        begin += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    out[i] = (Index)begin;
  }
}

// Whether fewer than k classes have a larger prediction than the target; a warp takes a row.
template <class T, class I>
KERNEL void in_top_k(const I* targets, const T* predictions, bool* out, long long rows,
                     long long classes, long long k) {
  const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const long long target = targets[row];
  bool in = target >= 0 && target < classes;
  if (in) {
    const T* from = predictions + row * classes;
    const auto wanted = comparable(from[target]);
    long long better = 0, not_finite = 0;
    for (long long i = threadIdx.x; i < classes; i += 32) {
      const auto value = comparable(from[i]);
      better += value > wanted;
      not_finite += !(value - value == 0);
    }
    const auto plus = [](long long a, long long b) { return a + b; };
    in = join_warp(not_finite, plus) == 0;
    in = join_warp(better, plus) < k && in;
  }
  if (threadIdx.x == 0) out[row] = in;
}
