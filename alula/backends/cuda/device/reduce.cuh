// Reductions: kernels that know how elements lie and how threads share them. What an element is, a
// Source says; how elements come together, a Reducer does:
//   Accumulator                   what elements build up in
//   none()                        that of no elements
//   join(a, b)                    that of both
//   group(elements, places, n)    that of the first n of an array; the places count from 0 to the
//                                 number of elements that go into a result
//   put(shape, result, a)         writes a result
// The order in which elements come together depends on the shape alone.

// Some dimensions from the innermost outwards, and the distance of neighbours in each input.
template <int kInputs, class Index>
struct Places {
  static constexpr int kMost = 8;
  Index rank;
  Divider<Index> dims[kMost];
  Index strides[kInputs][kMost];

  // Adds where element i is.
  template <bool kPlain>
  __device__ __forceinline__ void add(Index i, Index (&at)[kInputs]) const {
    if constexpr (kPlain) {
#pragma unroll
      for (int k = 0; k < kInputs; ++k) at[k] += i * strides[k][0];
    } else {
#pragma unroll 1
      for (int axis = 0; axis < (int)rank; ++axis) {
        const Index outer = axis + 1 < (int)rank ? dims[axis].divide(i) : 0;
        const Index inside = i - outer * dims[axis].divisor;
#pragma unroll
        for (int k = 0; k < kInputs; ++k) at[k] += inside * strides[k][axis];
        i = outer;
      }
    }
  }
};

template <int kInputs, class Index>
struct Reduction {
  Index count;     // elements that go into a result here
  Index elements;  // and in the whole, if what is reduced here are parts
  Index results;
  Index width;  // results that are neighbours, as their elements are
  Index part;   // how many of `count` a row of the grid's blocks takes
  Index shift;  // 2^shift threads go together, or across
  Places<kInputs, Index> kept, reduced;
};

// Elements that are in memory.
template <class T>
struct Stored {
  typedef T Element;
  static constexpr int kInputs = 1;
  const T* x;
  template <int kWidth, class Index>
  __device__ __forceinline__ void read(const Index (&at)[1], T* to) const {
    const Pack<T, kWidth> pack = load<kWidth>(x, at[0]);
#pragma unroll
    for (int v = 0; v < kWidth; ++v) to[v] = pack.at[v];
  }
};

// Neighbours that are read at once, or one element that stands for all of them.
template <int kWidth, bool kPacked, class T, class Index>
DEVICE Pack<T, kWidth> fetch(const T* from, Index i) {
  if constexpr (kPacked) {
    return load<kWidth>(from, i);
  } else {
    Pack<T, kWidth> pack;
    const T one = from[i];
#pragma unroll
    for (int v = 0; v < kWidth; ++v) pack.at[v] = one;
    return pack;
  }
}

// What blocks have each found of their part: to be joined by another kernel, with Final.
template <class Reducer>
struct Partial {
  typedef typename Reducer::Accumulator Accumulator;
  Accumulator* parts;
  static __device__ __forceinline__ Accumulator none() { return Reducer::none(); }
  static __device__ __forceinline__ Accumulator join(Accumulator a, Accumulator b) {
    return Reducer::join(a, b);
  }
  template <int kCount, class Element, class Index>
  static __device__ __forceinline__ Accumulator group(const Element (&e)[kCount],
                                                      const Index (&at)[kCount], int valid) {
    return Reducer::group(e, at, valid);
  }
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape& shape, Index result, Accumulator a) const {
    parts[blockIdx.y * shape.results + result] = a;
  }
};

// Joins values in a tree.
template <class Reducer, int kCount>
DEVICE typename Reducer::Accumulator tree(typename Reducer::Accumulator (&values)[kCount]) {
#pragma unroll
  for (int width = 1; width < kCount; width *= 2)
#pragma unroll
    for (int i = 0; i + width < kCount; i += 2 * width)
      values[i] = Reducer::join(values[i], values[i + width]);
  return values[0];
}

template <class Reducer>
struct Final : Reducer {
  typedef typename Reducer::Accumulator Accumulator;
  template <int kCount, class Index>
  static __device__ __forceinline__ Accumulator group(const Accumulator (&e)[kCount],
                                                      const Index (&)[kCount], int valid) {
    Accumulator values[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = i < valid ? e[i] : Reducer::none();
    return tree<Reducer>(values);
  }
};

// The value of another thread of the warp, whatever it is made of.
template <class A>
DEVICE A exchange(const A& x, int mask) {
  static_assert(sizeof(A) % 4 == 0, "");
  A other;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(A) / 4); ++i)
    ((unsigned int*)&other)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&x)[i], mask);
  return other;
}

constexpr int kReduceThreads = 256;
// A thread has kAtOnce packs on their way at a time. The last ones may be fewer: then it reads its
// first again, which costs less than to branch.

// Joins the values of 2^shift neighbouring threads of a block: some of a warp, or all. Each of them
// gets the result.
template <class Reducer>
DEVICE typename Reducer::Accumulator join_threads(typename Reducer::Accumulator x,
                                                  unsigned int shift,
                                                  typename Reducer::Accumulator* room) {
  for (unsigned int mask = 1; mask < min(1u << shift, 32u); mask *= 2)
    x = Reducer::join(x, exchange(x, (int)mask));
  if (shift <= 5) return x;
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  const unsigned int warps = blockDim.x / 32;
  x = room[threadIdx.x % warps];
  for (unsigned int mask = 1; mask < warps; mask *= 2) x = Reducer::join(x, exchange(x, (int)mask));
  return x;
}

// Each result by 2^shift threads: some of a warp, or the block.
template <class Source, class Reducer, int kWidth, int kAtOnce, bool kPlain, class Index>
KERNEL void BOUNDS(kReduceThreads) reduce_rows(const Source source, const Reducer reducer,
                                               const Reduction<Source::kInputs, Index> shape) {
  typedef typename Reducer::Accumulator A;
  typedef typename Source::Element Element;
  const unsigned int shift = (unsigned int)shape.shift, together = 1u << shift;
  const Index own = (Index)blockIdx.x * (kReduceThreads >> shift) + (threadIdx.x >> shift);
  // Threads without a result do another's: they are needed for the exchange.
  const Index result = own < shape.results ? own : shape.results - 1;
  const Index lane = threadIdx.x & (together - 1);
  const Index begin = blockIdx.y * shape.part;
  const Index length = min(shape.part, shape.count - begin), packs = length / kWidth;
  Index base[Source::kInputs] = {};
  shape.kept.template add<false>(result, base);
  A total = Reducer::none();
  for (Index p = lane; p < packs; p += kAtOnce * together) {
    Element e[kAtOnce * kWidth];
    Index place[kAtOnce * kWidth];
    int valid = 0;
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      const bool there = p + u * together < packs;
      const Index j = begin + (there ? p + u * together : p) * kWidth;
      Index at[Source::kInputs];
#pragma unroll
      for (int k = 0; k < Source::kInputs; ++k) at[k] = base[k];
      shape.reduced.template add<kPlain>(j, at);
      source.template read<kWidth>(at, e + u * kWidth);
#pragma unroll
      for (int v = 0; v < kWidth; ++v) place[u * kWidth + v] = j + v;
      valid += there ? kWidth : 0;
    }
    total = Reducer::join(total, Reducer::group(e, place, valid));
  }
  if constexpr (kWidth > 1) {
    for (Index i = packs * kWidth + lane; i < length; i += together) {
      Element e[1];
      const Index place[1] = {begin + i};
      Index at[Source::kInputs];
#pragma unroll
      for (int k = 0; k < Source::kInputs; ++k) at[k] = base[k];
      shape.reduced.template add<kPlain>(place[0], at);
      source.template read<1>(at, e);
      total = Reducer::join(total, Reducer::group(e, place, 1));
    }
  }
  __shared__ A room[kReduceThreads / 32];
  total = join_threads<Reducer>(total, shift, room);
  if (lane == 0 && own < shape.results) reducer.put(shape, own, total);
}

// Results whose elements are neighbours: 2^shift threads, at most a warp, read such neighbours, as
// many as fill the block read further rows of them.
template <class Source, class Reducer, int kWidth, int kAtOnce, bool kPlain, class Index>
KERNEL void BOUNDS(kReduceThreads) reduce_columns(const Source source, const Reducer reducer,
                                                  const Reduction<Source::kInputs, Index> shape) {
  typedef typename Reducer::Accumulator A;
  typedef typename Source::Element Element;
  constexpr int kWarps = kReduceThreads / 32;
  const unsigned int shift = (unsigned int)shape.shift, across = 1u << shift;
  const unsigned int down = kReduceThreads >> shift, lane = threadIdx.x & (across - 1);
  const Index size = across * kWidth, tiles = (shape.width + size - 1) / size;
  const Index outer = blockIdx.x / tiles, tile = (blockIdx.x - outer * tiles) * size;
  const Index column = tile + lane * kWidth;
  const Index begin = blockIdx.y * shape.part;
  const Index length = min(shape.part, shape.count - begin);
  Index base[Source::kInputs] = {};
  shape.kept.template add<false>(outer * shape.width + min(column, shape.width - 1), base);
  A total[kWidth];
#pragma unroll
  for (int v = 0; v < kWidth; ++v) total[v] = Reducer::none();
  if (column < shape.width) {
    for (Index i = threadIdx.x >> shift; i < length; i += kAtOnce * down) {
      Element e[kAtOnce][kWidth];
      Index place[kAtOnce];
      int valid = 0;
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) {
        const bool there = i + u * down < length;
        place[u] = begin + (there ? i + u * down : i);
        Index at[Source::kInputs];
#pragma unroll
        for (int k = 0; k < Source::kInputs; ++k) at[k] = base[k];
        shape.reduced.template add<kPlain>(place[u], at);
        source.template read<kWidth>(at, e[u]);
        valid += there;
      }
#pragma unroll
      for (int v = 0; v < kWidth; ++v) {
        Element below[kAtOnce];
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u) below[u] = e[u][v];
        total[v] = Reducer::join(total[v], Reducer::group(below, place, valid));
      }
    }
  }
  typedef A Room[kWarps][32 * kWidth];
  SHARED(Room, room);
  for (unsigned int mask = across; mask < 32; mask *= 2)
#pragma unroll
    for (int v = 0; v < kWidth; ++v)
      total[v] = Reducer::join(total[v], exchange(total[v], (int)mask));
  if (threadIdx.x % 32 < across)
#pragma unroll
    for (int v = 0; v < kWidth; ++v) room[threadIdx.x / 32][lane * kWidth + v] = total[v];
  __syncthreads();
  if (threadIdx.x >= size || tile + threadIdx.x >= shape.width) return;
  A values[kWarps];
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) values[warp] = room[warp][threadIdx.x];
  reducer.put(shape, outer * shape.width + tile + threadIdx.x, tree<Reducer>(values));
}
