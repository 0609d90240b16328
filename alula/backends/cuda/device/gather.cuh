// Slices picked by positions that are data.

// The result is rows of `chosen` slices of `slice` elements; `repeats` rows that follow one another
// share their positions. A position is `depth` indices, into dimensions of the sizes `dims`.
template <class Index>
struct Picks {
  Index count, slices;  // of elements in the result; of slices in a row of the input
  Divider<Index> slice, chosen, repeats;
  int depth;
  Index dims[8];

  // Where a position is among the slices. Not `inside` if an index is out of range: the result is 0
  // there, as on TensorFlow's GPUs, since a kernel cannot report it.
  template <class I>
  __device__ __forceinline__ Index find(const I* indices, bool& inside) const {
    Index at = 0;
    inside = true;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (k >= depth) break;
      const I index = indices[k];
      inside = inside && index >= 0 && (unsigned long long)index < dims[k];
      at = at * dims[k] + (Index)index;
    }
    return at;
  }

  // Where the input has element i of the result.
  template <class I>
  __device__ __forceinline__ Index source(const I* indices, Index i, bool& inside) const {
    const Index pick = slice.divide(i), row = chosen.divide(pick);
    const Index position = repeats.divide(row) * chosen.divisor + (pick - row * chosen.divisor);
    const Index at = row * slices + find(indices + position * depth, inside);
    return at * slice.divisor + (i - pick * slice.divisor);
  }
};

template <class T, class I, class Index>
KERNEL void gather(const T* from, const I* indices, T* to, Picks<Index> picks) {
  for (Index i = first<Index>(); i < picks.count; i += stride<Index>()) {
    bool inside;
    const Index at = picks.source(indices, i, inside);
    to[i] = inside ? from[at] : T{};
  }
}

// What is picked goes through a program: kWidth neighbours of a slice at a time, which `picks`
// counts as one element. A row of the result has `columns` elements.
template <class T, class I, int kWidth, class Index, class After>
KERNEL void gather_elementwise(const T* from, const I* indices, Picks<Index> picks,
                               Divider<Index> columns, const After after) {
  for (Index i = first<Index>(); i < picks.count; i += stride<Index>()) {
    bool inside;
    const Index at = picks.source(indices, i, inside);
    Pack<T, kWidth> picked{};
    if (inside) picked = load<kWidth>(from, at * kWidth);
    const Index element = i * kWidth;
    after(picked.at, (long long)element,
          (int)(element - columns.divide(element) * columns.divisor));
  }
}
