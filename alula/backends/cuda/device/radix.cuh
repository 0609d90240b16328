// Rows of keys sorted by their digits of eight bits, the lowest first; equal ones keep their order.
// Each pass counts the digits of tiles, has the counts scanned to tell where the keys of each digit
// of each tile go, and puts them there.

constexpr int kDigits = 256, kTileKeys = 4096, kRadixThreads = 256;
constexpr int kWarpKeys = kTileKeys / (kRadixThreads / 32);

// `counts` is [rows, kDigits, tiles].
template <class Key>
KERNEL void count_digits(const Key* keys, unsigned int* counts, long long length, int tiles,
                         int shift) {
  __shared__ unsigned int room[kDigits];
  const long long row = blockIdx.x / tiles;
  const int tile = blockIdx.x % tiles;
  const Key* from = keys + row * length;
  room[threadIdx.x] = 0;
  __syncthreads();
  const long long begin = (long long)tile * kTileKeys;
  const long long end = min(length, begin + kTileKeys);
  for (long long i = begin + threadIdx.x; i < end; i += kRadixThreads)
    atomicAdd(&room[(unsigned int)(from[i] >> shift) & 255u], 1u);
  __syncthreads();
  counts[(row * kDigits + threadIdx.x) * tiles + tile] = room[threadIdx.x];
}

// The lanes of a warp whose digit is the same.
DEVICE unsigned int same_digit(unsigned int digit, unsigned int among) {
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) {
    const bool set = (digit >> bit & 1) != 0;
    const unsigned int lanes = __ballot_sync(0xffffffffu, set);
    among &= set ? lanes : ~lanes;
  }
  return among;
}

// `begins` are the scanned counts. Positions go along with the keys if kPairs.
template <class Key, bool kPairs>
KERNEL void place_digits(const Key* keys, const unsigned int* at, Key* sorted,
                         unsigned int* sorted_at, const unsigned int* begins, long long length,
                         int tiles, int shift) {
  constexpr int kWarps = kRadixThreads / 32, kRounds = kWarpKeys / 32;
  typedef unsigned int Room[kWarps][kDigits];
  SHARED(Room, room);
  const long long row = blockIdx.x / tiles;
  const int tile = blockIdx.x % tiles, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int w = 0; w < kWarps; ++w) room[w][threadIdx.x] = 0;
  __syncthreads();
  // How many of the warp's keys with the same digit come before each.
  const long long base = (long long)tile * kTileKeys + warp * kWarpKeys + lane;
  Key own[kRounds];
  unsigned int before[kRounds];
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const long long i = base + 32 * round;
    own[round] = i < length ? keys[row * length + i] : 0;
    const unsigned int digit = (unsigned int)(own[round] >> shift) & 255u;
    const unsigned int there = __ballot_sync(0xffffffffu, i < length);
    const unsigned int same = same_digit(digit, there);
    before[round] = room[warp][digit] + __popc(same & ((1u << lane) - 1));
    __syncwarp();
    if (i < length && (same >> lane) == 1u) room[warp][digit] = before[round] + 1;
    __syncwarp();
  }
  __syncthreads();
  // Where the keys of each digit of each warp begin.
  unsigned int begin = begins[(row * kDigits + threadIdx.x) * tiles + tile];
  for (int w = 0; w < kWarps; ++w) {
    const unsigned int count = room[w][threadIdx.x];
    room[w][threadIdx.x] = begin;
    begin += count;
  }
  __syncthreads();
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const long long i = base + 32 * round;
    if (i >= length) continue;
    const unsigned int digit = (unsigned int)(own[round] >> shift) & 255u;
    const long long place = row * length + room[warp][digit] + before[round];
    sorted[place] = own[round];
    if (kPairs) sorted_at[place] = at[row * length + i];
  }
}

// ---- between tensors and keys
// --------------------------------------------------------------------

template <class T, bool kPairs>
KERNEL void write_keys(const T* x, RowsAlong rows, long long count, int descending, KeyOf<T>* keys,
                       unsigned int* at) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) {
    const long long row = i / rows.length, inside = i % rows.length;
    const T value = x[rows.at(row, inside)];
    keys[i] = kPairs ? to_equal_key(value, descending) : to_key(value, descending);
    if (kPairs) at[i] = (unsigned int)inside;
  }
}
template <class T>
KERNEL void read_keys(const KeyOf<T>* keys, RowsAlong rows, long long count, int descending,
                      T* out) {
  for (long long i = first<long long>(); i < count; i += stride<long long>())
    out[rows.at(i / rows.length, i % rows.length)] = from_key<T>(keys[i], descending);
}
KERNEL void read_positions(const unsigned int* at, RowsAlong rows, long long count, int* out) {
  for (long long i = first<long long>(); i < count; i += stride<long long>())
    out[rows.at(i / rows.length, i % rows.length)] = (int)at[i];
}
// The first k of each row.
template <class T>
KERNEL void read_top(const T* x, const unsigned int* at, long long length, long long k,
                     long long count, T* values, int* indices) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) {
    const long long row = i / k;
    const unsigned int position = at[row * length + i % k];
    values[i] = x[row * length + position];
    indices[i] = (int)position;
  }
}
