// Sums of slices at positions that are data. One thread adds up all that goes to an element, in the
// order of the updates: the result is the same at every run, and (but for half types, whose sums
// are kept in float here) the CPU's.

// What sums of T are kept in.
template <class T> struct Sum { typedef T Type; };
template <> struct Sum<Half> { typedef float Type; };
template <> struct Sum<BFloat16> { typedef float Type; };
template <class T> using SumOf = typename Sum<T>::Type;

DEVICE float plus(float a, float b) { return a + b; }
DEVICE double plus(double a, double b) { return a + b; }
DEVICE bool plus(bool a, bool b) { return a || b; }
template <class T> DEVICE T plus(T a, T b) { return op_add(a, b); }

// The number of the slice that each position names; -1 if it is out of range: such an update is
// dropped, as on TensorFlow's GPUs, since a kernel cannot report it.
struct Positions {
  int depth;
  long long dims[8];
};
template <class I>
__global__ void find_slices(const I* indices, long long* slices, long long count,
                            Positions positions) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) {
    long long at = 0;
    for (int k = 0; k < positions.depth; ++k) {
      const long long index = indices[i * positions.depth + k];
      const bool inside = at >= 0 && index >= 0 && index < positions.dims[k];
      at = inside ? at * positions.dims[k] + index : -1;
    }
    slices[i] = at;
  }
}

// Whether one of `slices` from `begin` to `end` is `wanted`; asked by a whole warp.
template <class I> DEVICE bool is_among(const I* slices, int begin, int end, I wanted) {
  constexpr int kLoads = 4;
  for (int i = begin; i < end; i += 32 * kLoads) {
    bool found = false;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int at = i + 32 * k + threadIdx.x;
      found = found || (at < end && slices[at] == wanted);
    }
    if (__ballot_sync(0xffffffffu, found) != 0) return true;
  }
  return false;
}

// A warp (a row of the block) takes an update, and kColumns elements a lane of its slice. It adds up
// all updates of this slice if its own is the first of them; else another warp does.
template <class T, class I, int kColumns>
__global__ void scatter_few(const I* slices, const T* updates, T* to, int count, long long most,
                            int slice) {
  const int own = blockIdx.x * blockDim.y + threadIdx.y;
  if (own >= count) return;
  const I wanted = slices[own];
  if (wanted < 0 || (long long)wanted >= most || is_among(slices, 0, own, wanted)) return;
  for (int base = blockIdx.y * 32 * kColumns; base < slice; base += gridDim.y * 32 * kColumns) {
    SumOf<T> sums[kColumns] = {};
    for (int i = own; i < count; i += 32) {
      const int at = i + threadIdx.x;
      unsigned found = __ballot_sync(0xffffffffu, at < count && slices[at] == wanted);
      for (; found != 0; found &= found - 1) {
        const T* update = updates + (long long)(i + __ffs(found) - 1) * slice;
#pragma unroll
        for (int k = 0; k < kColumns; ++k) {
          const int column = base + 32 * k + threadIdx.x;
          if (column < slice) sums[k] = plus(sums[k], op_cast<SumOf<T>>(update[column]));
        }
      }
    }
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int column = base + 32 * k + threadIdx.x;
      if (column < slice) to[(long long)wanted * slice + column] = op_cast<T>(sums[k]);
    }
  }
}
