// Convolutions as products of matrices that are never written, after product. S holds the shapes,
// as in conv2d_direct; a batch of products is the groups of channels.

// [pixels of the result, taps and channels]: what the windows look at.
template <class T, class S>
struct ConvWindows {
  static constexpr bool kAlongK = true;
  struct Line {
    const T* image;
    int y, x;
  };
  const T* data;
  int lines;

  __device__ __forceinline__ const T* start(int group) const { return data + group * S::kGroupIn; }
  __device__ __forceinline__ Line line(const T* from, int i) const {
    if (i >= lines) return {nullptr, 0, 0};
    const int x = i % S::kConvColumns, y = i / S::kConvColumns % S::kConvRows;
    const long long image = i / (S::kConvColumns * S::kConvRows);
    return {from + image * (S::kHeight * S::kWidth * S::kChannels), y * S::kStrideY - S::kBeforeY,
            x * S::kStrideX - S::kBeforeX};
  }
  __device__ __forceinline__ T at(const Line& line, int k) const {
    const int tap = k / S::kGroupIn, c = k % S::kGroupIn;
    const int y = line.y + tap / S::kTapsX * S::kDilationY;
    const int x = line.x + tap % S::kTapsX * S::kDilationX;
    if (line.image == nullptr || y < 0 || y >= S::kHeight || x < 0 || x >= S::kWidth) return T{};
    return *(line.image + (y * S::kWidth + x) * S::kChannels + c);
  }
};

// [taps and channels, pixels of the result]: the same, for the gradient of the filter.
template <class T, class S>
struct ConvWindowsAcross {
  static constexpr bool kAlongK = false;
  struct Line {
    const T* data;
    int y, x;
  };
  const T* data;

  __device__ __forceinline__ const T* start(int group) const { return data + group * S::kGroupIn; }
  __device__ __forceinline__ Line line(const T* from, int i) const {
    const int tap = i / S::kGroupIn;
    if (tap >= S::kTapsY * S::kTapsX) return {nullptr, 0, 0};
    return {from + i % S::kGroupIn, tap / S::kTapsX * S::kDilationY - S::kBeforeY,
            tap % S::kTapsX * S::kDilationX - S::kBeforeX};
  }
  __device__ __forceinline__ T at(const Line& line, int k) const {
    const int x = line.x + k % S::kConvColumns * S::kStrideX;
    const int y = line.y + k / S::kConvColumns % S::kConvRows * S::kStrideY;
    const long long image = k / (S::kConvColumns * S::kConvRows);
    if (line.data == nullptr || y < 0 || y >= S::kHeight || x < 0 || x >= S::kWidth) return T{};
    return *(line.data + (image * (S::kHeight * S::kWidth) + y * S::kWidth + x) * S::kChannels);
  }
};

// [pixels of the images, taps and channels of the result]: the gradients of the results that looked
// at a pixel.
template <class T, class S>
struct ConvGradients {
  static constexpr bool kAlongK = true;
  struct Line {
    const T* image;
    int y, x;
  };
  const T* data;
  int lines;

  __device__ __forceinline__ const T* start(int group) const { return data + group * S::kGroupOut; }
  __device__ __forceinline__ Line line(const T* from, int i) const {
    if (i >= lines) return {nullptr, 0, 0};
    const int x = i % S::kWidth, y = i / S::kWidth % S::kHeight;
    const long long image = i / (S::kWidth * S::kHeight);
    return {from + image * (S::kConvRows * S::kConvColumns * S::kOut), y + S::kBeforeY,
            x + S::kBeforeX};
  }
  __device__ __forceinline__ T at(const Line& line, int k) const {
    const int tap = k / S::kGroupOut, o = k % S::kGroupOut;
    const int y = line.y - tap / S::kTapsX * S::kDilationY;
    const int x = line.x - tap % S::kTapsX * S::kDilationX;
    if (line.image == nullptr || y < 0 || x < 0 || y % S::kStrideY != 0 || x % S::kStrideX != 0)
      return T{};
    const int row = y / S::kStrideY, column = x / S::kStrideX;
    if (row >= S::kConvRows || column >= S::kConvColumns) return T{};
    return *(line.image + (row * S::kConvColumns + column) * S::kOut + o);
  }
};

// [taps and channels of the result, channels of the images]: the weights that lead back.
template <class T, class S>
struct ConvWeightsBack {
  static constexpr bool kAlongK = true;
  typedef const T* Line;
  const T* data;

  __device__ __forceinline__ const T* start(int group) const { return data + group * S::kGroupOut; }
  __device__ __forceinline__ Line line(const T* from, int c) const {
    return c < S::kGroupIn ? from + (long long)c * S::kOut : nullptr;
  }
  __device__ __forceinline__ T at(Line line, int k) const {
    const int tap = k / S::kGroupOut, o = k % S::kGroupOut;
    if (line == nullptr) return T{};
    return *(line + (long long)tap * (S::kGroupIn * S::kOut) + o);
  }
};
