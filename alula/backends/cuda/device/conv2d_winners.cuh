// The filter's gradient of a convolution that was max-pooled, after conv2d_direct: each thread
// visits the winners of one channel in some windows, and keeps the sums for kTermY x kTermX x
// kTermC weights. S as there, with kLanes channels and kPositions windows at a time, and:
//   kBias: whether the values themselves are added up, too

template <class S>
struct WinnerTile {
  static constexpr int kRows = ((S::kTileY - 1) * S::kPoolStrideY + S::kPoolY - 1) * S::kStrideY +
                               (S::kTermY - 1) * S::kDilationY + 1;
  static constexpr int kColumns =
      ((S::kTileX - 1) * S::kPoolStrideX + S::kPoolX - 1) * S::kStrideX +
      (S::kTermX - 1) * S::kDilationX + 1;
  static constexpr int kDown = (S::kRows + S::kTileY - 1) / S::kTileY;
  static constexpr int kAcross = (S::kColumns + S::kTileX - 1) / S::kTileX;
  static constexpr int kTerms = S::kTermY * S::kTermX * S::kTermC;
  static constexpr int kSums = kTerms + S::kBias;
};

// Adds what the windows of one tile of an image give.
template <class T, class S, class Before>
DEVICE void add_winners(const T* tile, const T* image_from, const Before& before,
                        const unsigned char* positions, long long image, int tile_y, int tile_x,
                        int y0, int x0, int channel, int channels,
                        T (&sums)[WinnerTile<S>::kSums]) {
  typedef WinnerTile<S> Tile;
  constexpr bool kExact = S::kRows % S::kTileY == 0 && S::kColumns % S::kTileX == 0;
#pragma unroll(Tile::kTerms <= 16 ? 4 : 2)
  for (int p = threadIdx.x / S::kLanes; p < S::kTileY * S::kTileX; p += S::kPositions) {
    const int row = tile_y + p / S::kTileX, column = tile_x + p % S::kTileX;
    if (!kExact && (row >= S::kRows || column >= S::kColumns)) continue;
    const long long at = ((image * S::kRows + row) * S::kColumns + column) * S::kOut + channel;
    const T value = before(at, channel);
    const int won = positions[at];
    const int y = (p / S::kTileX * S::kPoolStrideY + won / S::kPoolX) * S::kStrideY;
    const int x = (p % S::kTileX * S::kPoolStrideX + won % S::kPoolX) * S::kStrideX;
    const T* const from = tile + (y * Tile::kColumns + x) * S::kTermC;
#pragma unroll
    for (int i = 0; i < S::kTermY; ++i)
#pragma unroll
      for (int j = 0; j < S::kTermX; ++j)
#pragma unroll
        for (int c = 0; c < S::kTermC; ++c) {
          T& sum = sums[(i * S::kTermX + j) * S::kTermC + c];
          if constexpr (S::kStaged) {
            const int offset = i * S::kDilationY * Tile::kColumns + j * S::kDilationX;
            sum = add_product(value, from[offset * S::kTermC + c], sum);
          } else {
            const int iy = y0 + y + i * S::kDilationY, ix = x0 + x + j * S::kDilationX;
            if (iy >= 0 && iy < S::kHeight && ix >= 0 && ix < S::kWidth && c < channels)
              sum =
                  add_product(value, *(image_from + (iy * S::kWidth + ix) * S::kChannels + c), sum);
          }
        }
    if constexpr (S::kBias) sums[Tile::kTerms] += value;
  }
}

// Grid: parts, blocks of channels, parts of the filter. parts: [gridDim.x][weights, bias].
template <class T, class S, class Before>
KERNEL void BOUNDS(S::kLanes* S::kPositions)
    conv2d_filter_gradient_at(const T* __restrict__ input,
                              const unsigned char* __restrict__ positions, const Before before,
                              long long images, T* __restrict__ parts) {
  typedef WinnerTile<S> Tile;
  SHARED_BYTES(shared);
  T* const tile = (T*)shared;
  const int lane = threadIdx.x % S::kLanes;
  constexpr int kSpan = S::kStaged ? S::kGroupOut : S::kOut;
  constexpr int kBlocks = (kSpan + S::kLanes - 1) / S::kLanes;
  const int in_span = blockIdx.y % kBlocks * S::kLanes;
  const int first = blockIdx.y / kBlocks * kSpan + in_span, channel = first + lane;
  const bool idle = in_span + lane >= kSpan;
  const int group = (idle ? first : channel) / S::kGroupOut;
  // Which weights.
  constexpr int kParts = (S::kGroupIn + S::kTermC - 1) / S::kTermC;
  const int c0 = blockIdx.z % kParts * S::kTermC;
  const int tap_x = blockIdx.z / kParts % (S::kTapsX / S::kTermX) * S::kTermX;
  const int tap_y = blockIdx.z / kParts / (S::kTapsX / S::kTermX) * S::kTermY;
  const int channels = min(S::kTermC, S::kGroupIn - c0);

  T sums[Tile::kSums] = {};
  for (long long unit = blockIdx.x; unit < images * (Tile::kDown * Tile::kAcross);
       unit += gridDim.x) {
    const long long image = unit / (Tile::kDown * Tile::kAcross);
    const int rest = (int)(unit % (Tile::kDown * Tile::kAcross));
    const int tile_y = rest / Tile::kAcross * S::kTileY, tile_x = rest % Tile::kAcross * S::kTileX;
    const int y0 = (tile_y * S::kPoolStrideY - S::kPoolBeforeY) * S::kStrideY - S::kBeforeY +
                   tap_y * S::kDilationY;
    const int x0 = (tile_x * S::kPoolStrideX - S::kPoolBeforeX) * S::kStrideX - S::kBeforeX +
                   tap_x * S::kDilationX;
    const T* const from =
        input + image * (S::kHeight * S::kWidth * S::kChannels) + group * S::kGroupIn + c0;
    if constexpr (S::kStaged) {
      stage_image<S, Tile::kRows, Tile::kColumns, S::kTermC>(tile, from, y0, x0, 0, channels);
      __syncthreads();
    }
    if (!idle)
      add_winners<T, S>(tile, from, before, positions, image, tile_y, tile_x, y0, x0, channel,
                        channels, sums);
    if constexpr (S::kStaged) __syncthreads();
  }

  // The threads' sums become the block's.
  T* const room = (T*)shared;  // [kSums][kPositions][kLanes]
#pragma unroll
  for (int k = 0; k < Tile::kSums; ++k)
    room[k * (S::kLanes * S::kPositions) + threadIdx.x] = sums[k];
  __syncthreads();
  constexpr long long kWeights = (long long)S::kTapsY * S::kTapsX * S::kGroupIn * S::kOut;
  T* const to = parts + blockIdx.x * (kWeights + (S::kBias ? S::kOut : 0));
  for (int i = threadIdx.x; i < Tile::kSums * S::kLanes; i += blockDim.x) {
    const int k = i / S::kLanes, o = i % S::kLanes;
    if (in_span + o >= kSpan) continue;
    T sum = 0;
    for (int p = 0; p < S::kPositions; ++p) sum += room[(k * S::kPositions + p) * S::kLanes + o];
    const int c = k % S::kTermC, x = tap_x + k / S::kTermC % S::kTermX,
              y = tap_y + k / S::kTermC / S::kTermX;
    if (k == Tile::kTerms) {
      if (blockIdx.z == 0) to[kWeights + first + o] = sum;
    } else if (c < channels) {
      to[((y * S::kTapsX + x) * S::kGroupIn + c0 + c) * (long long)S::kOut + first + o] = sum;
    }
  }
}
