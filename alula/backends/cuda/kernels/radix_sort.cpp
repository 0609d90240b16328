#include "alula/backends/cuda/kernels/radix_sort.h"

#include "alula/backends/cuda/kernels/scan.h"

namespace alula::cuda {
namespace {

constexpr int64_t kDigits = 256, kTileKeys = 4096;  // as device code has them

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
      positions_{Scratch(position_bytes(rows)), Scratch(position_bytes(rows))},
      counts_(count_bytes(rows, tiles_)),
      begins_(count_bytes(rows, tiles_)) {}

void RadixSort::run(const KernelCall& call, int digits) {
  for (int digit = 0; digit < digits; ++digit) pass(call, 8 * digit);
}

void RadixSort::pass(const KernelCall& call, int shift) {
  const std::string_view key = rows_.wide ? "unsigned long long" : "unsigned int";
  const Grid grid{.blocks = {static_cast<unsigned>(rows_.rows * tiles_), 1, 1},
                  .threads = {256, 1, 1}};
  const auto length = static_cast<long long>(rows_.length);
  const auto tiles = static_cast<int>(tiles_);
  constexpr std::string_view kFiles = "keys sort_block radix";
  launch(call, {kFiles, fmt::format("count_digits<{}>", key)}, grid, keys(), counts_.data(), length,
         tiles, shift);
  exclusive_sums(call, {counts_.data(), rows_.rows, kDigits * tiles_}, begins_.data());
  const int next = 1 - current_;
  launch(call, {kFiles, fmt::format("place_digits<{}, {}>", key, rows_.pairs)}, grid, keys(),
         positions(), keys_[next].data(), positions_[next].data(), begins_.data(), length, tiles,
         shift);
  current_ = next;
}

}  // namespace alula::cuda
