#include "alula/backends/cuda/kernels/radix_sort.h"

#include "alula/backends/cuda/kernels/scan.h"

namespace alula::cuda {
namespace {

constexpr int64_t kDigits = 256, kTileKeys = 4096;  // as device code has them

LibrarySort g_library = nullptr;

size_t key_bytes(const RadixSort::Rows& rows) {
  return static_cast<size_t>(rows.rows * rows.length) * (rows.wide ? 8 : 4);
}
size_t position_bytes(const RadixSort::Rows& rows) {
  return rows.pairs ? static_cast<size_t>(rows.rows * rows.length) * sizeof(uint32_t) : 16;
}
size_t count_bytes(const RadixSort::Rows& rows, int64_t tiles) {
  return static_cast<size_t>(rows.rows * kDigits * tiles) * sizeof(uint32_t);
}

}  // namespace

RadixSort::RadixSort(const Rows& rows)
    : rows_(rows),
      tiles_((rows.length + kTileKeys - 1) / kTileKeys),
      keys_{Scratch(key_bytes(rows)), Scratch(key_bytes(rows))},
      positions_{Scratch(position_bytes(rows)), Scratch(position_bytes(rows))} {}

void set_library_sort(LibrarySort sort) { g_library = sort; }

void RadixSort::run(const KernelCall& call, int digits) {
  if (g_library != nullptr) {
    const int next = 1 - current_;
    const SortRooms rooms{{keys(), keys_[next].data()}, {positions(), positions_[next].data()}};
    if (const std::optional<int> sorted = g_library(call, rows_, rooms, 8 * digits)) {
      if (*sorted == 1) current_ = next;
      return;
    }
  }
  const Scratch counts(count_bytes(rows_, tiles_)), begins(count_bytes(rows_, tiles_));
  for (int digit = 0; digit < digits; ++digit) pass(call, 8 * digit, counts.data(), begins.data());
}

void RadixSort::pass(const KernelCall& call, int shift, void* counts, void* begins) {
  const std::string_view key = rows_.wide ? "unsigned long long" : "unsigned int";
  const Grid grid{.blocks = {static_cast<unsigned>(rows_.rows * tiles_), 1, 1},
                  .threads = {256, 1, 1}};
  const auto length = static_cast<long long>(rows_.length);
  const auto tiles = static_cast<int>(tiles_);
  constexpr std::string_view kFiles = "keys sort_block radix";
  launch(call, {kFiles, fmt::format("count_digits<{}>", key)}, grid, keys(), counts, length, tiles,
         shift);
  exclusive_sums(call, {counts, rows_.rows, kDigits * tiles_}, begins);
  const int next = 1 - current_;
  launch(call, {kFiles, fmt::format("place_digits<{}, {}>", key, rows_.pairs)}, grid, keys(),
         positions(), keys_[next].data(), positions_[next].data(), begins, length, tiles, shift);
  current_ = next;
}

}  // namespace alula::cuda
