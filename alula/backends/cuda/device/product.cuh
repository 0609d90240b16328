// Products of matrices, after arithmetic: tiles of both factors in shared memory, a part of the
// result in each thread's registers. A factor is anything that says where its elements are:
//   factor.start(batch)    where one matrix of a batch begins
//   factor.line(from, i)   what an element of row (or column) i needs that does not depend on k
//   factor.at(line, k)     the element; 0 outside of the matrix
//   Factor::kAlongK        whether neighbours along k are neighbours in memory
// W, the work of a block: kM, kN, kK (the tile), kEachM, kEachN (a thread's part of it).

// Where the results are: element `row`, `column` of matrix `batch`.
struct ProductPlace {
  long long batch_step, row_step;
  int column_step;  // from one matrix to the next, where matrices are columns of one result
};

template <class W>
struct ProductThreads {
  static constexpr int kAcross = W::kN / W::kEachN;
  static constexpr int kCount = W::kM / W::kEachM * kAcross;
  // Neighbours that a thread reads from shared memory at once.
  static constexpr int kPackM = W::kEachM < 4 ? W::kEachM : 4;
  static constexpr int kPackN = W::kEachN < 4 ? W::kEachN : 4;
  __device__ __forceinline__ static int row(int i) {
    const int y = threadIdx.x / kAcross;
    return i / kPackM * (W::kM / W::kEachM * kPackM) + y * kPackM + i % kPackM;
  }
  __device__ __forceinline__ static int column(int j) {
    const int x = threadIdx.x % kAcross;
    return j / kPackN * (kAcross * kPackN) + x * kPackN + j % kPackN;
  }
};

// One factor's way into shared memory: [kK][kLines + 4], where a warp's stores meet few banks.
template <class T, class W, int kLines, class Factor>
struct ProductLoader {
  typedef SumType<T> C;
  static constexpr int kThreads = ProductThreads<W>::kCount;
  static constexpr int kCount = kLines * W::kK / kThreads;
  static constexpr int kRow = kLines + 4;
  static_assert(kCount * kThreads == kLines * W::kK, "every thread loads as much");
  static_assert(Factor::kAlongK ? kThreads % W::kK == 0 : kThreads % kLines == 0,
                "a thread stays with its lines");

  typename Factor::Line lines[kCount];
  T next[kCount];

  __device__ __forceinline__ static int line_of(int i) {
    return Factor::kAlongK ? threadIdx.x / W::kK + i * (kThreads / W::kK) : threadIdx.x % kLines;
  }
  __device__ __forceinline__ static int k_of(int i) {
    return Factor::kAlongK ? threadIdx.x % W::kK : threadIdx.x / kLines + i * (kThreads / kLines);
  }
  __device__ __forceinline__ void start(const Factor& factor, int matrix, int first) {
    const T* const from = factor.start(matrix);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i == 0 || Factor::kAlongK) lines[i] = factor.line(from, first + line_of(i));
  }
  __device__ __forceinline__ void fetch(const Factor& factor, int k0, int end) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int k = k0 + k_of(i);
      next[i] = k < end ? factor.at(lines[Factor::kAlongK ? i : 0], k) : T{};
    }
  }
  __device__ __forceinline__ void put(C* tile) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) tile[k_of(i) * kRow + line_of(i)] = op_cast<C>(next[i]);
  }
};

// One of each pair is read while the other is filled.
template <class C, int kSizeA, int kSizeB>
struct alignas(16) ProductTiles {
  C a[2][kSizeA], b[2][kSizeB];
};

// Grid: tiles of each matrix of the batch, parts of k. A part has `each` terms; where there are
// several, their sums go to `parts`, else the results through the program.
template <class T, class W, class A, class B, class After>
KERNEL void BOUNDS(ProductThreads<W>::kCount)
    product(const A a, const B b, const int m, const int n, const int k, const int each,
            const ProductPlace place, SumType<T>* parts, const long long part_size,
            const After after) {
  typedef SumType<T> C;
  typedef ProductThreads<W> Threads;
  typedef ProductLoader<T, W, W::kM, A> LoadA;
  typedef ProductLoader<T, W, W::kN, B> LoadB;
  typedef ProductTiles<C, W::kK * LoadA::kRow, W::kK * LoadB::kRow> Tiles;
  SHARED(Tiles, room);
  const int across = (n + W::kN - 1) / W::kN;
  const int tiles = (m + W::kM - 1) / W::kM * across;
  const int matrix = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  const int row0 = tile / across * W::kM, column0 = tile % across * W::kN;
  const int begin = blockIdx.y * each, end = min(k, begin + each);
  LoadA load_a;
  LoadB load_b;
  load_a.start(a, matrix, row0);
  load_b.start(b, matrix, column0);
  load_a.fetch(a, begin, end);
  load_b.fetch(b, begin, end);
  C sums[W::kEachM][W::kEachN] = {};
  // What runs but a few times must be short: code has to be fetched, too.
  constexpr int kTogether = W::kEachM * W::kEachN < 16 ? 8 : W::kK;
  int side = 0;
  for (int k0 = begin; k0 < end; k0 += W::kK) {
    load_a.put(room.a[side]);
    load_b.put(room.b[side]);
    __syncthreads();
    // The next tiles are on their way while these are multiplied.
    if (k0 + W::kK < end) {
      load_a.fetch(a, k0 + W::kK, end);
      load_b.fetch(b, k0 + W::kK, end);
    }
#pragma unroll kTogether
    for (int i = 0; i < W::kK; ++i) {
      C x[W::kEachM], y[W::kEachN];
#pragma unroll
      for (int r = 0; r < W::kEachM; r += Threads::kPackM) {
        const auto pack = load<Threads::kPackM>(room.a[side], i * LoadA::kRow + Threads::row(r));
#pragma unroll
        for (int q = 0; q < Threads::kPackM; ++q) x[r + q] = pack.at[q];
      }
#pragma unroll
      for (int c = 0; c < W::kEachN; c += Threads::kPackN) {
        const auto pack = load<Threads::kPackN>(room.b[side], i * LoadB::kRow + Threads::column(c));
#pragma unroll
        for (int q = 0; q < Threads::kPackN; ++q) y[c + q] = pack.at[q];
      }
#pragma unroll
      for (int r = 0; r < W::kEachM; ++r)
#pragma unroll
        for (int c = 0; c < W::kEachN; ++c) sums[r][c] = add_product(x[r], y[c], sums[r][c]);
    }
    side ^= 1;
  }
  const long long first = matrix * place.batch_step;
  const int shift = matrix * place.column_step;
#pragma unroll
  for (int r = 0; r < W::kEachM; ++r)
#pragma unroll
    for (int c = 0; c < W::kEachN; ++c) {
      const int row = row0 + Threads::row(r), column = column0 + Threads::column(c);
      if (row >= m || column >= n) continue;
      const long long at = first + row * place.row_step + column;
      if (parts != nullptr) {
        parts[blockIdx.y * part_size + at] = sums[r][c];
      } else {
        const T result[1] = {op_cast<T>(sums[r][c])};
        after(result, at, shift + column);
      }
    }
}

// The sum of what kLanes neighbouring threads have: those of a part of a warp, or of a block.
template <int kLanes, class C>
DEVICE C join_lanes(C sum) {
  if constexpr (kLanes > 32) {
    __shared__ C room[32];
    return join_block(sum, (C)0, room, [](C a, C b) { return op_add(a, b); });
  } else {
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask /= 2)
      sum = op_add(sum, (C)__shfl_xor_sync(0xffffffffu, sum, mask));
    return sum;
  }
}

// A product so small that all there is to gain is that each thread has little to do: kLanes of them
// share the terms of an element, and load kTerms at once.
template <class T, int kLanes, int kTerms, class A, class B, class After>
KERNEL void small_product(const A a, const B b, const Divider<unsigned int> columns,
                          const Divider<unsigned int> rows, const int k, const unsigned int size,
                          const ProductPlace place, const After after) {
  typedef SumType<T> C;
  const unsigned int thread = first<unsigned int>();
  const int lane = thread % kLanes;
  // Threads after the last element compute that, too, since lanes exchange their sums.
  const unsigned int element = min(thread / kLanes, size - 1);
  const int line = columns.divide(element), column = element - line * columns.divisor;
  const int matrix = rows.divide(line), row = line - matrix * rows.divisor;
  const auto line_a = a.line(a.start(matrix), row);
  const auto line_b = b.line(b.start(matrix), column);
  C sum = 0;
  for (int k0 = lane; k0 < k; k0 += kLanes * kTerms) {
    T x[kTerms], y[kTerms];
#pragma unroll
    for (int i = 0; i < kTerms; ++i) {
      const int at = k0 + i * kLanes;
      x[i] = at < k ? a.at(line_a, at) : T{};
      y[i] = at < k ? b.at(line_b, at) : T{};
    }
#pragma unroll
    for (int i = 0; i < kTerms; ++i) sum = add_product(op_cast<C>(x[i]), op_cast<C>(y[i]), sum);
  }
  sum = join_lanes<kLanes>(sum);
  if (lane != 0 || thread / kLanes >= size) return;
  const T result[1] = {op_cast<T>(sum)};
  after(result, matrix * place.batch_step + row * place.row_step + column,
        matrix * place.column_step + column);
}

// Adds the parts of a product in a fixed order, and runs the program. count = 1: what another
// kernel has made.
template <class T, class Part, class After>
KERNEL void finish_product(const Part* parts, const int count, const long long size,
                           const unsigned int columns, const After after) {
  typedef SumType<Part> C;
  for (long long i = first<long long>(); i < size; i += stride<long long>()) {
    C sum = op_cast<C>(parts[i]);
#pragma unroll 8
    for (int k = 1; k < count; ++k) sum = op_add(sum, op_cast<C>(parts[k * size + i]));
    const T result[1] = {op_cast<T>(sum)};
    after(result, i, (int)(i % columns));
  }
}

// The same for many parts: threads of a block of (32, up to 16) share those of an element.
template <class T, class Part, class After>
KERNEL void finish_many_parts(const Part* parts, const int count, const long long size,
                              const unsigned int columns, const After after) {
  typedef SumType<Part> C;
  __shared__ C room[16][32];
  const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
  C sum = 0;
  if (i < size) {
#pragma unroll 8
    for (int k = threadIdx.y; k < count; k += blockDim.y)
      sum = op_add(sum, op_cast<C>(parts[k * size + i]));
  }
  room[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= size) return;
  for (int k = 1; k < blockDim.y; ++k) sum = op_add(sum, room[k][threadIdx.x]);
  const T result[1] = {op_cast<T>(sum)};
  after(result, i, (int)(i % columns));
}

// ---- factors ---------------------------------------------------------------------------------

// Where the matrices of a batch are: dimensions from the innermost outwards.
struct ProductBatch {
  int dims[8];
  long long steps[8];
  template <int kRank>
  __device__ __forceinline__ long long offset(int i) const {
    long long at = 0;
#pragma unroll  // so that no index is computed, and the struct stays where arguments are
    for (int axis = 0; axis < kRank; ++axis) {
      at += (axis + 1 < kRank ? i % dims[axis] : i) * steps[axis];
      i /= dims[axis];
    }
    return at;
  }
};

// A matrix [lines, k], or [k, lines] if not along k, with `row` elements in a row; of a batch with
// so many dimensions.
template <class T, bool kAlong, int kRank>
struct Matrix {
  static constexpr bool kAlongK = kAlong;
  typedef const T* Line;
  const T* data;
  int lines;
  int row;
  ProductBatch batch;

  __device__ __forceinline__ const T* start(int i) const {
    return data + batch.template offset<kRank>(i);
  }
  __device__ __forceinline__ Line line(const T* from, int i) const {
    if (i >= lines) return nullptr;
    return from + (kAlongK ? (long long)i * row : i);
  }
  __device__ __forceinline__ T at(Line line, int k) const {
    if (line == nullptr) return T{};
    return line[kAlongK ? k : (long long)k * row];
  }
};
