// Copies of what stands in a frame: padding, cropping, rolling.

// Where a dimension of the output reads outside the input.
enum Outside { kConstant, kReflect, kSymmetric, kAround };

// Dimensions from the innermost outwards: the output's, the input's, how many elements come before
// the input's first (as many less than none wrap around), and the input's steps.
template <class Index>
struct Framed {
  Index count;
  int rank;
  Divider<Index> dims[8];
  Index sizes[8], before[8], steps[8];
};

// The place in an input of `size` elements for one that may be up to `size` outside.
template <int kOutside, class Index>
DEVICE Index place_inside(Index at, Index size) {
  const bool before = at > (Index)-1 / 2;
  if (kOutside == kReflect) return before ? 0 - at : at < size ? at : 2 * size - 2 - at;
  if (kOutside == kSymmetric) return before ? ~at : at < size ? at : 2 * size - 1 - at;
  return before ? at + size : at;
}

template <class T, int kOutside, class Index>
KERNEL void framed_copy(const T* from, T* to, T outside, Framed<Index> plan) {
  for (Index i = first<Index>(); i < plan.count; i += stride<Index>()) {
    Index rest = i, at = 0;
    bool inside = true;
    for (int axis = 0; axis < plan.rank; ++axis) {
      const Index outer = axis + 1 < plan.rank ? plan.dims[axis].divide(rest) : 0;
      Index place = rest - outer * plan.dims[axis].divisor - plan.before[axis];
      if (kOutside == kConstant)
        inside = inside && place < plan.sizes[axis];
      else
        place = place_inside<kOutside>(place, plan.sizes[axis]);
      at += place * plan.steps[axis];
      rest = outer;
    }
    to[i] = inside ? from[at] : outside;
  }
}
