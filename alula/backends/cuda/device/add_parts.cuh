// Sums that several blocks have parts of, each written by one block; added in a fixed order, so
// that the result is the same every time.

// parts: [count][size]; a block of (32, n) threads adds 32 elements. The first elements go to
// `first`, those from `split` on to `second`.
template <class T, class To>
KERNEL void BOUNDS(1024) add_parts(const T* __restrict__ parts, int count, long long size,
                                   To* first, long long split, To* second) {
  __shared__ T room[32][32];
  const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
  T sums[4] = {};
  if (i < size) {
    int part = threadIdx.y;
    for (; part + 3 * (int)blockDim.y < count; part += 4 * blockDim.y)
#pragma unroll
      for (int k = 0; k < 4; ++k) sums[k] += parts[(part + k * (int)blockDim.y) * size + i];
    for (; part < count; part += blockDim.y) sums[0] += parts[part * size + i];
  }
  room[threadIdx.y][threadIdx.x] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  __syncthreads();
  if (threadIdx.y != 0 || i >= size) return;
  T sum = room[0][threadIdx.x];
  for (int k = 1; k < blockDim.y; ++k) sum += room[k][threadIdx.x];
  if (i < split)
    first[i] = op_cast<To>(sum);
  else
    second[i - split] = op_cast<To>(sum);
}
