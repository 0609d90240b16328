#pragma once
#include <bit>

#include "alula/backends/cuda/kernels/movement.h"

/// What sort, argsort and top_k share.
namespace alula::cuda {

/// Device code's.
struct RowsAlong {
  long long length, inner;
};

/// The files that short rows are sorted with, and long ones.
inline constexpr std::string_view kSortBlockFiles = "keys sort_block";
inline constexpr std::string_view kRadixFiles = "keys sort_block radix";

/// Items that one block can sort, given their bytes: they fill 32 KiB, at most.
constexpr int64_t most_in_block(int64_t item_bytes) { return item_bytes == 16 ? 2048 : 4096; }

/// The bytes of an element's key, and of a key with its position.
constexpr int64_t key_bytes(DType dtype) { return size_of(dtype) == 8 ? 8 : 4; }
constexpr int64_t ranked_bytes(DType dtype) { return 2 * key_bytes(dtype); }

/// Rows of items that are sorted by blocks, in chunks where they are long.
struct BlockSort {
  int64_t rows, length, item_bytes;

  int64_t size() const {
    const int64_t fits = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)));
    return std::clamp<int64_t>(fits, 2, most_in_block(item_bytes));
  }
  int64_t chunks() const { return (length + size() - 1) / size(); }

  /// `from` and `to` are the arguments of the same names of device code's sort_block, whose types
  /// `types` names. Of each chunk the first `kept` go out.
  template <class From, class To>
  void run(const KernelCall& call, const std::string& types, const From& from, const To& to,
           int64_t kept) const {
    constexpr int64_t kFew = 512;  // short rows share a block
    const int64_t size = this->size(), each = std::max<int64_t>(1, kFew / size);
    const int64_t count = rows * chunks(), threads = std::clamp<int64_t>(size * each / 2, 32, 1024);
    launch(call, {kSortBlockFiles, fmt::format("sort_block<{}>", types)},
           {.blocks = {static_cast<unsigned>((count + each - 1) / each), 1, 1},
            .threads = {static_cast<unsigned>(threads), 1, 1},
            .shared_bytes = static_cast<size_t>(size * each * item_bytes)},
           from, to, static_cast<long long>(count), static_cast<long long>(length),
           static_cast<long long>(chunks()), static_cast<int>(size), static_cast<int>(each),
           static_cast<int>(kept));
  }
};

/// Arguments of device code that reads a tensor's keys: Keys<T> and RankedKeys<T>.
struct KeysFrom {
  const void* x;
  RowsAlong rows;
  int descending;
};

}  // namespace alula::cuda
