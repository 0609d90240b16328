// Copies that read their input in another order.

// Where the elements of an output stand in an input: dimensions from the innermost outwards. Steps
// may be negative, in which case sums wrap around on their way.
template <class Index>
struct Strided {
  Index count, start;
  int rank;
  Divider<Index> dims[16];
  Index steps[16];

  // For kRank dimensions; 0: as many as `rank` says.
  template <int kRank>
  __device__ __forceinline__ Index find(Index i) const {
    const int last = (kRank > 0 ? kRank : rank) - 1;
    Index from = start;
#pragma unroll
    for (int axis = 0; axis < last; ++axis) {
      const Index outer = dims[axis].divide(i);
      from += (i - outer * dims[axis].divisor) * steps[axis];
      i = outer;
    }
    return from + i * steps[last];
  }
};

// A thread writes kWidth neighbours, which never belong to two rows.
template <class T, int kWidth, int kRank, class Index>
KERNEL void strided_copy(const T* from, T* to, Strided<Index> plan) {
  for (Index i = first<Index>(); i < plan.count; i += stride<Index>()) {
    const Index at = plan.template find<kRank>(i * kWidth);
    Pack<T, kWidth> pack;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) pack.at[k] = from[at + k * plan.steps[0]];
    store<kWidth>(to, i * kWidth, pack);
  }
}

// A matrix of rows that follow one another in `tight`, while in `apart` each begins at a multiple
// of kWidth, with zeros behind it, and rows of zeros make it `all_rows`. A thread has kWidth
// neighbours; `packs` of them are a row.
template <class T, int kWidth>
KERNEL void set_rows_apart(const T* tight, T* apart, int rows, int length, int all_rows,
                           Divider<unsigned int> packs) {
  const unsigned int count = all_rows * packs.divisor;
  for (unsigned int i = first<unsigned int>(); i < count; i += stride<unsigned int>()) {
    const int row = packs.divide(i), column = (i - row * packs.divisor) * kWidth;
    Pack<T, kWidth> pack;
#pragma unroll
    for (int k = 0; k < kWidth; ++k)
      pack.at[k] =
          row < rows && column + k < length ? tight[(long long)row * length + column + k] : (T)0;
    store<kWidth>(apart, (long long)i * kWidth, pack);
  }
}
template <class T, int kWidth>
KERNEL void set_rows_together(const T* apart, T* tight, int rows, int length,
                              Divider<unsigned int> packs) {
  const unsigned int count = rows * packs.divisor;
  for (unsigned int i = first<unsigned int>(); i < count; i += stride<unsigned int>()) {
    const int row = packs.divide(i), column = (i - row * packs.divisor) * kWidth;
    const Pack<T, kWidth> pack = load<kWidth>(apart, (long long)i * kWidth);
#pragma unroll
    for (int k = 0; k < kWidth; ++k)
      if (column + k < length) tight[(long long)row * length + column + k] = pack.at[k];
  }
}

// Matrices to be transposed: elements that differ in `along` follow one another in the input, those
// that differ in `across` in the output.
template <class Index>
struct Tiled {
  Divider<Index> across_tiles, along_tiles;
  Index across, along;
  Index from_step, to_step;  // of across, of along
  Index start;
  int rank;  // of what is outside the matrices
  Divider<Index> dims[16];
  Index from[16], to[16];
};

// By tiles of kSide rows and columns, so that both sides see whole rows. A tile is a block's work.
template <class T, int kSide, class Index>
KERNEL void transposed_copy(const T* from, T* to, Tiled<Index> plan) {
  __shared__ T tile[kSide][kSide + 1];
  Index outer = plan.across_tiles.divide(blockIdx.x);
  const Index c = (blockIdx.x - outer * plan.across_tiles.divisor) * kSide;
  Index matrix = plan.along_tiles.divide(outer);
  const Index a = (outer - matrix * plan.along_tiles.divisor) * kSide;
  Index source = plan.start + a + c * plan.from_step, target = c + a * plan.to_step;
  for (int axis = 0; axis < plan.rank; ++axis) {
    outer = plan.dims[axis].divide(matrix);
    const Index inside = matrix - outer * plan.dims[axis].divisor;
    source += inside * plan.from[axis];
    target += inside * plan.to[axis];
    matrix = outer;
  }
#pragma unroll
  for (int y = 0; y < kSide; y += 8)
#pragma unroll
    for (int x = 0; x < kSide; x += 32) {
      const int row = y + threadIdx.y, column = x + threadIdx.x;
      if (c + row < plan.across && a + column < plan.along)
        tile[row][column] = from[source + row * plan.from_step + column];
    }
  __syncthreads();
#pragma unroll
  for (int y = 0; y < kSide; y += 8)
#pragma unroll
    for (int x = 0; x < kSide; x += 32) {
      const int row = y + threadIdx.y, column = x + threadIdx.x;
      if (a + row < plan.along && c + column < plan.across)
        to[target + row * plan.to_step + column] = tile[column][row];
    }
}
