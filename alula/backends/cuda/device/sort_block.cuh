// Short rows, each sorted by one block in its shared memory.

// Where an element of a row stands in a tensor [outer, length, inner].
struct RowsAlong {
  long long length, inner;
  __device__ __forceinline__ long long at(long long row, long long i) const {
    return (row / inner * length + i) * inner + row % inner;
  }
};

// ---- where items come from
// -----------------------------------------------------------------------

template <class T>
struct Keys {
  typedef KeyOf<T> Item;
  const T* x;
  RowsAlong rows;
  int descending;
  __device__ __forceinline__ Item load(long long row, long long i) const {
    return to_key(x[rows.at(row, i)], descending);
  }
};
template <class T>
struct RankedKeys {
  typedef Ranked<T> Item;
  const T* x;
  RowsAlong rows;
  int descending;
  __device__ __forceinline__ Item load(long long row, long long i) const {
    return rank(to_equal_key(x[rows.at(row, i)], descending), (unsigned int)i);
  }
};
template <class Item_>
struct Items {
  typedef Item_ Item;
  const Item* x;
  long long length;
  __device__ __forceinline__ Item load(long long row, long long i) const {
    return x[row * length + i];
  }
};

// ---- and where they go to
// ------------------------------------------------------------------------

template <class T>
struct ToValues {
  T* out;
  RowsAlong rows;
  int descending;
  __device__ __forceinline__ void store(long long row, long long i, KeyOf<T> key) const {
    out[rows.at(row, i)] = from_key<T>(key, descending);
  }
};
struct ToPositions {
  int* out;
  RowsAlong rows;
  template <class Item>
  __device__ __forceinline__ void store(long long row, long long i, const Item& item) const {
    out[rows.at(row, i)] = (int)position_of(item);
  }
};
template <class Item>
struct ToItems {
  Item* out;
  long long length;
  __device__ __forceinline__ void store(long long row, long long i, const Item& item) const {
    out[row * length + i] = item;
  }
};
template <class T>
struct ToTop {
  const T* x;
  T* values;
  int* indices;
  long long length, k;
  template <class Item>
  __device__ __forceinline__ void store(long long row, long long i, const Item& item) const {
    const unsigned int position = position_of(item);
    values[row * k + i] = x[row * length + position];
    indices[row * k + i] = (int)position;
  }
};

// Rows of `length` items in chunks of up to `size`, a power of two; a block takes `each` chunks at
// once. Of each chunk the first `kept` go out, chunk after chunk of a row; where the last one has
// fewer they are what comes behind all others. By Batcher's bitonic sorter.
template <class From, class To>
KERNEL void sort_block(From from, To to, long long chunk_count, long long length, long long chunks,
                       int size, int each, int kept) {
  typedef typename From::Item Item;
  SHARED_BYTES(room);
  Item* const items = (Item*)room;
  const int total = size * each;
  const long long first_chunk = (long long)blockIdx.x * each;
  for (int t = threadIdx.x; t < total; t += blockDim.x) {
    const long long chunk = first_chunk + t / size, row = chunk / chunks;
    const long long i = chunk % chunks * size + t % size;
    if (chunk < chunk_count && i < length)
      items[t] = from.load(row, i);
    else
      set_last(items[t]);
  }
  __syncthreads();
  for (int run = 2; run <= size; run *= 2)
    for (int by = run / 2; by > 0; by /= 2) {
      for (int t = threadIdx.x; t < total / 2; t += blockDim.x) {
        const int a = 2 * t - (t & (by - 1)), b = a + by;
        const bool ascending = (a & (size - 1) & run) == 0;
        const Item x = items[a], y = items[b];
        if (ascending ? y < x : x < y) {
          items[a] = y;
          items[b] = x;
        }
      }
      __syncthreads();
    }
  for (int t = threadIdx.x; t < total; t += blockDim.x) {
    const long long chunk = first_chunk + t / size, row = chunk / chunks;
    const long long number = chunk % chunks, i = t % size;
    if (chunk < chunk_count && i < kept) to.store(row, number * kept + i, items[t]);
  }
}
