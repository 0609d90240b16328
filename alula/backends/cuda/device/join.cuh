// Tensors put together along an axis, and taken apart again.

// A whole as rows, and parts that are pieces of each row. Rows of `row` elements; the parts cover
// `length` of them from `begin` on, and part k ends before ends[k] of these.
template <class Index>
struct Parts {
  Index count;
  Divider<Index> length;
  Index row, begin;
  Index ends[16];
  void* at[16];
};

// kJoin: the parts go into the whole; else the other way around.
template <class T, bool kJoin, class Index>
KERNEL void join(T* whole, Parts<Index> parts) {
  for (Index i = first<Index>(); i < parts.count; i += stride<Index>()) {
    const Index row = parts.length.divide(i), inside = i - row * parts.length.divisor;
    int k = 0;
    Index begin = 0;
    while (inside >= parts.ends[k]) begin = parts.ends[k++];
    T* const part = (T*)parts.at[k] + row * (parts.ends[k] - begin) + inside - begin;
    T* const place = whole + row * parts.row + parts.begin + inside;
    if (kJoin)
      *place = *part;
    else
      *part = *place;
  }
}
