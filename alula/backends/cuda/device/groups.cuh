// One program over many groups of tensors, whose addresses are an argument.

template <int kInputs, int kOutputs>
struct Group {
  const void* inputs[kInputs];
  void* outputs[kOutputs];
  unsigned long long size;
};
template <int kShared, int kInputs, int kOutputs, int kMost>
struct Groups {
  const void* shared[kShared];  // what all groups read: single elements
  Group<kInputs, kOutputs> at[kMost];
  unsigned int first[kMost];  // block of each group; beyond the last group, a block there never is

  // The last group that begins at the block, or before.
  __device__ __forceinline__ int find(unsigned int block) const {
    int low = 0, high = kMost;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (first[middle] <= block)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
};
