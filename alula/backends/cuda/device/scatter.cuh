// Sums of slices at positions that are data. What goes to an element is added up in an order that
// the positions alone decide, so that the result is the same at every run. After arithmetic.

DEVICE float plus(float a, float b) { return a + b; }
DEVICE double plus(double a, double b) { return a + b; }
DEVICE bool plus(bool a, bool b) { return a || b; }
template <class T>
DEVICE T plus(T a, T b) {
  return op_add(a, b);
}

// The number of the slice that each position names; -1 if it is out of range: such an update is
// dropped, as on TensorFlow's GPUs, since a kernel cannot report it.
struct Positions {
  int depth;
  long long dims[8];
};
template <class I>
KERNEL void find_slices(const I* indices, long long* slices, long long count, Positions positions) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) {
    long long at = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (k >= positions.depth) break;
      const long long index = indices[i * positions.depth + k];
      const bool inside = at >= 0 && index >= 0 && index < positions.dims[k];
      at = inside ? at * positions.dims[k] + index : -1;
    }
    slices[i] = at;
  }
}

// ---- few updates
// ---------------------------------------------------------------------------------

// Adds up the updates from `begin` to `end` that go to the slice `wanted`: kColumns elements a
// lane.
template <class T, class I, int kColumns>
DEVICE void add_updates(const I* slices, const T* updates, I wanted, int begin, int end, int slice,
                        int column, SumType<T> (&sums)[kColumns]) {
  constexpr int kLoads = 4;  // in flight
  for (int i = begin; i < end; i += 32) {
    const int lane = i + threadIdx.x;
    unsigned found = __ballot_sync(0xffffffffu, lane < end && slices[lane] == wanted);
    while (found != 0) {
      T values[kLoads][kColumns];
      int loads = 0;
#pragma unroll
      for (int u = 0; u < kLoads; ++u) {
        if (found == 0) continue;
        const T* update = updates + (long long)(i + __ffs(found) - 1) * slice;
#pragma unroll
        for (int k = 0; k < kColumns; ++k)
          if (column + 32 * k < slice) values[u][k] = update[column + 32 * k];
        found &= found - 1;
        ++loads;
      }
#pragma unroll
      for (int u = 0; u < kLoads; ++u)
#pragma unroll
        for (int k = 0; k < kColumns; ++k)
          if (u < loads && column + 32 * k < slice)
            sums[k] = plus(sums[k], op_cast<SumType<T>>(values[u][k]));
    }
  }
}

// A block takes an update. It adds up all that go to the same slice if its own is the first of
// them; else another block does. Warps (rows of the block) share the updates, in order.
template <class T, class I, int kColumns>
KERNEL void scatter_few(const I* slices, const T* updates, T* to, int count, long long most,
                        int slice) {
  constexpr int kWarps = 8, kWidth = 32 * kColumns;
  __shared__ int earlier;
  __shared__ SumType<T> room[kWarps][kWidth];
  const int own = blockIdx.x, warp = threadIdx.y, thread = 32 * warp + threadIdx.x;
  const I wanted = slices[own];
  if (wanted < 0 || (long long)wanted >= most) return;
  if (thread == 0) earlier = 0;
  __syncthreads();
  bool found = false;
  for (int i = thread; i < own; i += 32 * kWarps) found = found || slices[i] == wanted;
  if (found) earlier = 1;
  __syncthreads();
  if (earlier != 0) return;
  const int share = ((count - own + kWarps - 1) / kWarps + 31) / 32 * 32;
  const int begin = own + warp * share, end = min(count, begin + share);
  for (int base = blockIdx.y * kWidth; base < slice; base += gridDim.y * kWidth) {
    SumType<T> sums[kColumns] = {};
    add_updates<T, I, kColumns>(slices, updates, wanted, begin, end, slice, base + threadIdx.x,
                                sums);
#pragma unroll
    for (int k = 0; k < kColumns; ++k) room[warp][32 * k + threadIdx.x] = sums[k];
    __syncthreads();
    for (int i = thread; i < kWidth && base + i < slice; i += 32 * kWarps) {
      SumType<T> sum = room[0][i];
#pragma unroll
      for (int w = 1; w < kWarps; ++w) sum = plus(sum, room[w][i]);
      to[(long long)wanted * slice + base + i] = op_cast<T>(sum);
    }
    __syncthreads();
  }
}

// ---- many updates: sorted by their slice
// ---------------------------------------------------------

// The keys to sort by, and the numbers of the updates. What is out of range comes last.
template <class I, class Key>
KERNEL void write_slices(const I* slices, long long count, long long most, Key* keys,
                         unsigned int* at) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) {
    const I slice = slices[i];
    keys[i] = slice < 0 || (long long)slice >= most ? (Key)most : (Key)slice;
    at[i] = (unsigned int)i;
  }
}

// Updates of one slice are a run of the sorted ones. Runs are cut at multiples of kPiece, so that a
// long one is many threads' work. A piece that is a whole run goes to its place; of others, `begun`
// has the sum of the run that begins in a stretch of kPiece, and `going_on` that of the run that
// began before it.
constexpr int kPiece = 256;

template <class T, class Key>
KERNEL void add_pieces(const Key* keys, const unsigned int* at, const T* updates, T* to,
                       SumType<T>* begun, SumType<T>* going_on, long long count, Key most,
                       long long slice) {
  for (long long i = first<long long>(); i < count * slice; i += stride<long long>()) {
    const long long p = i / slice, column = i - p * slice;
    const Key key = keys[p];
    const bool begins = p == 0 || keys[p - 1] != key;
    if (key == most || (!begins && p % kPiece != 0)) continue;
    const long long end = min(count, p / kPiece * kPiece + kPiece);
    SumType<T> sum = {};
    long long q = p;
    for (; q < end && keys[q] == key; ++q)
      sum = plus(sum, op_cast<SumType<T>>(updates[(long long)at[q] * slice + column]));
    const bool goes_on = q == end && q < count && keys[q] == key;
    if (!begins)
      going_on[p / kPiece * slice + column] = sum;
    else if (goes_on)
      begun[p / kPiece * slice + column] = sum;
    else
      to[(long long)key * slice + column] = op_cast<T>(sum);
  }
}

template <class T, class Key>
KERNEL void join_pieces(const Key* keys, T* to, const SumType<T>* begun, const SumType<T>* going_on,
                        long long count, Key most, long long slice) {
  const long long pieces = (count - 1) / kPiece;  // the last one's run goes on nowhere
  for (long long i = first<long long>(); i < pieces * slice; i += stride<long long>()) {
    long long piece = i / slice;
    const long long column = i - piece * slice, start = piece * kPiece;
    const Key key = keys[start + kPiece - 1];
    const bool goes_on = key != most && keys[start + kPiece] == key;
    const bool begins_here = keys[start] != key || start == 0 || keys[start - 1] != key;
    if (!goes_on || !begins_here) continue;
    SumType<T> sum = begun[i];
    while (++piece * kPiece < count && keys[piece * kPiece] == key)
      sum = plus(sum, going_on[piece * slice + column]);
    to[(long long)key * slice + column] = op_cast<T>(sum);
  }
}
