// Running sums and products along [outer, length, inner]. Where there are too few rows or columns
// to fill the card, the length is cut into chunks: their totals are made first, then scanned to
// tell what comes before each chunk.

struct RunningSum {
  template <class A>
  static __device__ __forceinline__ A start() {
    return 0;
  }
  template <class A>
  static __device__ __forceinline__ A join(A a, A b) {
    return a + b;
  }
};
struct RunningProduct {
  template <class A>
  static __device__ __forceinline__ A start() {
    return 1;
  }
  template <class A>
  static __device__ __forceinline__ A join(A a, A b) {
    return a * b;
  }
};

struct Scan {
  long long length, inner, chunk;
  int exclusive, reverse;
  __device__ __forceinline__ long long place(long long i) const {
    return reverse ? length - 1 - i : i;
  }
};

// What all threads of a block before this one have, and the total; `room` is for 33 values.
template <class F, class A>
DEVICE A scan_block(A own, A* room, A& total) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  A sum = own;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    const A other = __shfl_up_sync(0xffffffffu, sum, by);
    if (lane >= by) sum = F::join(other, sum);
  }
  A before = __shfl_up_sync(0xffffffffu, sum, 1);
  if (lane == 0) before = F::template start<A>();
  __syncthreads();
  if (lane == 31) room[warp] = sum;
  __syncthreads();
  A outer = F::template start<A>();
  total = outer;
  for (int k = 0; k < warps; ++k) {
    if (k == warp) outer = total;
    total = F::join(total, room[k]);
  }
  return F::join(outer, before);
}

// inner is 1: a block takes a chunk (y) of a row (x). kTotals: `totals` is all that is wanted.
template <class F, class T, class A, bool kTotals>
KERNEL void scan_rows(const T* x, T* out, const A* carries, A* totals, Scan scan) {
  __shared__ A room[33];
  constexpr int kItems = 4;
  const long long row = blockIdx.x, chunk = row * gridDim.y + blockIdx.y;
  const long long begin = blockIdx.y * scan.chunk;
  const long long end = min(scan.length, begin + scan.chunk);
  A carry = !kTotals && carries ? carries[chunk] : F::template start<A>();
  for (long long tile = begin; tile < end; tile += blockDim.x * kItems) {
    A items[kItems], own = F::template start<A>(), total;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const long long i = tile + threadIdx.x * kItems + k;
      items[k] =
          i < end ? op_cast<A>(x[row * scan.length + scan.place(i)]) : F::template start<A>();
      own = F::join(own, items[k]);
    }
    A before = F::join(carry, scan_block<F>(own, room, total));
    carry = F::join(carry, total);
    if (kTotals) continue;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const long long i = tile + threadIdx.x * kItems + k;
      const A next = F::join(before, items[k]);
      if (i < end)
        out[row * scan.length + scan.place(i)] = op_cast<T>(scan.exclusive ? before : next);
      before = next;
    }
  }
  if (kTotals && threadIdx.x == 0) totals[chunk] = carry;
}

// A thread takes a chunk of a column; chunks are [outer, chunks, inner].
template <class F, class T, class A, bool kTotals>
KERNEL void scan_columns(const T* x, T* out, const A* carries, A* totals, Scan scan,
                         long long count, long long chunks) {
  constexpr int kItems = 8;
  for (long long at = first<long long>(); at < count; at += stride<long long>()) {
    const long long column = at % scan.inner, row = at / scan.inner;
    const long long base = row / chunks * scan.length * scan.inner + column;
    const long long begin = row % chunks * scan.chunk;
    const long long end = min(scan.length, begin + scan.chunk);
    A total = !kTotals && carries ? carries[at] : F::template start<A>();
    for (long long i = begin; i < end; i += kItems) {
      A items[kItems];
#pragma unroll
      for (int k = 0; k < kItems; ++k)
        items[k] = i + k < end ? op_cast<A>(x[base + scan.place(i + k) * scan.inner])
                               : F::template start<A>();
#pragma unroll
      for (int k = 0; k < kItems; ++k) {
        const A next = F::join(total, items[k]);
        if (!kTotals && i + k < end)
          out[base + scan.place(i + k) * scan.inner] = op_cast<T>(scan.exclusive ? total : next);
        total = next;
      }
    }
    if (kTotals) totals[at] = total;
  }
}
