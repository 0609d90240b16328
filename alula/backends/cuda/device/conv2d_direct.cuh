// Convolutions of few terms a result, each thread computing a few results of neighbouring channels
// from the filter and a part of the image in shared memory. S holds the shapes:
//   kHeight, kWidth, kChannels: of the images; kGroupIn, kGroupOut, kOut: channels
//   kTapsY, kStrideY, kDilationY, kBeforeY (and X): the filter's windows
//   kConvRows, kConvColumns: the convolution's results
//   kPools; kPoolY, kPoolStrideY, kPoolBeforeY (and X): windows over those, without pooling
//     neighbours that one thread computes; kPoolInside: whether they never reach over the edge
//   kRows, kColumns: the number of such windows
//   kTileY, kTileX: windows a block; kLanes: threads along channels, each with kEach of them;
//   kPositions: windows at a time
//   kStaged: whether filter and image go through shared memory

// Copies part of an image to shared memory, with zeros around it.
template <class S, int kRows, int kColumns, int kDepth, class T>
DEVICE void stage_image(T* tile, const T* image, int y0, int x0, int c0, int channels) {
  for (int i = threadIdx.x; i < kRows * kColumns * kDepth; i += blockDim.x) {
    const int c = i % kDepth, y = y0 + i / kDepth / kColumns, x = x0 + i / kDepth % kColumns;
    const bool inside = y >= 0 && y < S::kHeight && x >= 0 && x < S::kWidth && c < channels;
    tile[i] = inside ? image[(y * S::kWidth + x) * S::kChannels + c0 + c] : T{};
  }
}

template <class S>
struct ConvTile {
  static constexpr int kRows = ((S::kTileY - 1) * S::kPoolStrideY + S::kPoolY - 1) * S::kStrideY +
                               (S::kTapsY - 1) * S::kDilationY + 1;
  static constexpr int kColumns =
      ((S::kTileX - 1) * S::kPoolStrideX + S::kPoolX - 1) * S::kStrideX +
      (S::kTapsX - 1) * S::kDilationX + 1;
  static constexpr int kDown = (S::kRows + S::kTileY - 1) / S::kTileY;
  static constexpr int kAcross = (S::kColumns + S::kTileX - 1) / S::kTileX;
  static constexpr int kTerms = S::kTapsY * S::kTapsX * S::kGroupIn;
  static constexpr int kBlockChannels = S::kLanes * S::kEach;
  // Parts of the pooling window, whose sums are in registers at the same time.
  static constexpr bool kWhole = S::kPoolY * S::kPoolX * S::kEach <= 36;
  static constexpr int kPartY = kWhole ? S::kPoolY : 1;
  static constexpr int kPartX = kWhole || S::kPoolX * S::kEach <= 36 ? S::kPoolX : 1;
  static constexpr bool kFilterInRegisters = S::kStaged && kTerms * S::kEach <= 48;
};

// A thread's view of the images and of its weights.
template <class T, class S>
struct ConvSource {
  typedef ConvTile<S> Tile;
  const T* tile;     // staged: the first element that the block needs
  const T* weights;  // of the thread's first channel
  const T* image;    // not staged: of the channel's group
  int y0, x0;        // where the block's part of the image begins

  __device__ __forceinline__ SumType<T> value(int y, int x, int c) const {
    if constexpr (S::kStaged) {
      return op_cast<SumType<T>>(tile[(y * Tile::kColumns + x) * S::kGroupIn + c]);
    } else {
      y += y0;
      x += x0;
      const bool inside = y >= 0 && y < S::kHeight && x >= 0 && x < S::kWidth;
      if (!inside) return 0;
      return op_cast<SumType<T>>(*(image + (y * S::kWidth + x) * S::kChannels + c));
    }
  }
  __device__ __forceinline__ Pack<T, S::kEach> weight(int term) const {
    return load<S::kEach>(weights, term * (S::kStaged ? Tile::kBlockChannels : S::kOut));
  }
};

// Adds up the results of a part of a pooling window, whose first result looks at (y, x).
template <class T, class S>
DEVICE void convolve(const ConvSource<T, S>& from, const Pack<T, S::kEach>* kept, int y, int x,
                     SumType<T> (&sums)[ConvTile<S>::kPartY][ConvTile<S>::kPartX][S::kEach]) {
  typedef SumType<T> C;
  typedef ConvTile<S> Tile;
#pragma unroll(Tile::kTerms <= 48 ? S::kGroupIn : 1)
  for (int c = 0; c < S::kGroupIn; ++c)
#pragma unroll(S::kTapsY* S::kTapsX <= 25 ? S::kTapsY : 1)
    for (int i = 0; i < S::kTapsY; ++i)
#pragma unroll(S::kTapsX <= 16 ? S::kTapsX : 1)
      for (int j = 0; j < S::kTapsX; ++j) {
        const int term = (i * S::kTapsX + j) * S::kGroupIn + c;
        Pack<T, S::kEach> w;
        if constexpr (Tile::kFilterInRegisters)
          w = kept[term];
        else
          w = from.weight(term);
#pragma unroll
        for (int v = 0; v < Tile::kPartY; ++v)
#pragma unroll
          for (int u = 0; u < Tile::kPartX; ++u) {
            const C value = from.value(y + v * S::kStrideY + i * S::kDilationY,
                                       x + u * S::kStrideX + j * S::kDilationX, c);
#pragma unroll
            for (int k = 0; k < S::kEach; ++k)
              sums[v][u][k] = add_product(value, op_cast<C>(w.at[k]), sums[v][u][k]);
          }
      }
}

// Gives sums to the program, as values of the tensors' type.
template <class T, int kEach, class After>
DEVICE void finish_values(const SumType<T> (&sums)[kEach], long long at, int channel,
                          const After& after) {
  T values[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) values[k] = op_cast<T>(sums[k]);
  after(values, at, channel);
}

// One window: the largest of its results, or each of them, through the program.
template <class T, class S, class After>
DEVICE void conv_window(const ConvSource<T, S>& from, const Pack<T, S::kEach>* kept, int tile_y,
                        int tile_x, int row, int column, long long image, int channel,
                        unsigned char* positions, const After& after) {
  typedef ConvTile<S> Tile;
  typedef SumType<T> C;
  C best[S::kEach];
  unsigned char winner[S::kEach];
  bool found = false;
#pragma unroll 1
  for (int v0 = 0; v0 < S::kPoolY; v0 += Tile::kPartY)
#pragma unroll 1
    for (int u0 = 0; u0 < S::kPoolX; u0 += Tile::kPartX) {
      C sums[Tile::kPartY][Tile::kPartX][S::kEach] = {};
      convolve<T, S>(from, kept, (tile_y * S::kPoolStrideY + v0) * S::kStrideY,
                     (tile_x * S::kPoolStrideX + u0) * S::kStrideX, sums);
#pragma unroll
      for (int v = 0; v < Tile::kPartY; ++v)
#pragma unroll
        for (int u = 0; u < Tile::kPartX; ++u) {
          const int y = row * S::kPoolStrideY - S::kPoolBeforeY + v0 + v;
          const int x = column * S::kPoolStrideX - S::kPoolBeforeX + u0 + u;
          if (!S::kPoolInside && (y < 0 || y >= S::kConvRows || x < 0 || x >= S::kConvColumns))
            continue;
          if constexpr (!S::kPools) {
            const long long pixel = (image * S::kConvRows + y) * S::kConvColumns + x;
            finish_values<T>(sums[v][u], pixel * S::kOut + channel, channel, after);
          } else {
#pragma unroll
            for (int k = 0; k < S::kEach; ++k) {
              // Larger, or the first NaN.
              const bool better = !found || (!(sums[v][u][k] <= best[k]) && best[k] == best[k]);
              best[k] = better ? sums[v][u][k] : best[k];
              winner[k] = better ? (unsigned char)((v0 + v) * S::kPoolX + u0 + u) : winner[k];
            }
            found = true;
          }
        }
    }
  if constexpr (S::kPools) {
    const long long at = ((image * S::kRows + row) * S::kColumns + column) * S::kOut + channel;
    finish_values<T>(best, at, channel, after);
    if (positions != nullptr) {
      Pack<unsigned char, S::kEach> pack;
#pragma unroll
      for (int k = 0; k < S::kEach; ++k) pack.at[k] = winner[k];
      store<S::kEach>(positions, at, pack);
    }
  }
}

template <class T, class S, class After>
KERNEL void BOUNDS(S::kLanes* S::kPositions)
    conv2d_fused(const T* __restrict__ input, const T* __restrict__ filter,
                 unsigned char* positions, const After after) {
  typedef ConvTile<S> Tile;
  SHARED_BYTES(shared);
  T* const weights = (T*)shared;
  T* const tile = weights + Tile::kTerms * Tile::kBlockChannels;
  const int lane = threadIdx.x % S::kLanes;
  const int tile_x = blockIdx.x % Tile::kAcross * S::kTileX;
  const int tile_y = blockIdx.x / Tile::kAcross % Tile::kDown * S::kTileY;
  const long long image = blockIdx.x / (Tile::kAcross * Tile::kDown);
  // Staged blocks keep to the channels of one group.
  constexpr int kSpan = S::kStaged ? S::kGroupOut : S::kOut;
  constexpr int kBlocks = (kSpan + Tile::kBlockChannels - 1) / Tile::kBlockChannels;
  const int in_span = blockIdx.y % kBlocks * Tile::kBlockChannels;
  const int first = blockIdx.y / kBlocks * kSpan + in_span, channel = first + lane * S::kEach;
  const bool idle = in_span + lane * S::kEach >= kSpan;
  const int group = (idle ? first : channel) / S::kGroupOut;

  ConvSource<T, S> from;
  from.y0 = (tile_y * S::kPoolStrideY - S::kPoolBeforeY) * S::kStrideY - S::kBeforeY;
  from.x0 = (tile_x * S::kPoolStrideX - S::kPoolBeforeX) * S::kStrideX - S::kBeforeX;
  from.image = input + image * (S::kHeight * S::kWidth * S::kChannels) + group * S::kGroupIn;
  from.tile = tile;
  from.weights = S::kStaged ? weights + lane * S::kEach : filter + channel;
  if constexpr (S::kStaged) {
    stage_image<S, Tile::kRows, Tile::kColumns, S::kGroupIn>(tile, from.image, from.y0, from.x0, 0,
                                                             S::kGroupIn);
    for (int i = threadIdx.x; i < Tile::kTerms * Tile::kBlockChannels; i += blockDim.x) {
      const int k = i % Tile::kBlockChannels;
      weights[i] = in_span + k < kSpan
                       ? filter[(long long)(i / Tile::kBlockChannels) * S::kOut + first + k]
                       : T{};
    }
    __syncthreads();
  }
  if (idle) return;
  Pack<T, S::kEach> kept[Tile::kFilterInRegisters ? Tile::kTerms : 1];
  if constexpr (Tile::kFilterInRegisters) {
#pragma unroll
    for (int i = 0; i < Tile::kTerms; ++i) kept[i] = from.weight(i);
  }
  constexpr bool kExact = S::kRows % S::kTileY == 0 && S::kColumns % S::kTileX == 0;
#pragma unroll 1
  for (int p = threadIdx.x / S::kLanes; p < S::kTileY * S::kTileX; p += S::kPositions) {
    const int row = tile_y + p / S::kTileX, column = tile_x + p % S::kTileX;
    if (kExact || (row < S::kRows && column < S::kColumns))
      conv_window<T, S>(from, kept, p / S::kTileX, p % S::kTileX, row, column, image, channel,
                        positions, after);
  }
}
