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
};

template <class T, class I, class Index>
KERNEL void gather(const T* from, const I* indices, T* to, Picks<Index> picks) {
  for (Index i = first<Index>(); i < picks.count; i += stride<Index>()) {
    const Index pick = picks.slice.divide(i), row = picks.chosen.divide(pick);
    const Index chosen = pick - row * picks.chosen.divisor;
    const Index position = picks.repeats.divide(row) * picks.chosen.divisor + chosen;
    bool inside;
    const Index slice = picks.find(indices + position * picks.depth, inside);
    const Index at = (row * picks.slices + slice) * picks.slice.divisor;
    to[i] = inside ? from[at + (i - pick * picks.slice.divisor)] : T{};
  }
}
