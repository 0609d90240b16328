#include "alula/backends/cuda/layout.h"

#include <algorithm>
#include <bit>

namespace alula::cuda {
namespace {

using Strides = InlineVector<int64_t, kMaxRank>;

constexpr int kPackBytes = 16;                     // the widest load that a thread can make
constexpr int64_t kMostNarrow = int64_t{1} << 31;  // positions below need 32 bits

}  // namespace

Strides strides_over(const Shape& output, const Shape& input) {
  Strides strides;
  for (int i = 0; i < output.rank(); ++i) strides.push_back(0);
  const int offset = output.rank() - input.rank();
  int64_t step = 1;
  for (int i = input.rank() - 1; i >= 0; --i) {
    if (input[i] != 1) strides[offset + i] = step;
    step *= input[i];
  }
  return strides;
}

Merged merge_dimensions(const Shape& output, std::span<const Shape* const> inputs) {
  Merged merged;
  InlineVector<Strides, 4> all;
  for (const Shape* input : inputs) {
    all.push_back(strides_over(output, *input));
    merged.strides.emplace_back();
  }
  for (int i = output.rank() - 1; i >= 0; --i) {
    if (output[i] == 1) continue;
    bool joins = !merged.dims.empty();
    for (size_t k = 0; k < inputs.size() && joins; ++k)
      joins = all[k][i] == merged.strides[k].back() * merged.dims.back();
    if (joins) {
      merged.dims.back() *= output[i];
    } else {
      merged.dims.push_back(output[i]);
      for (size_t k = 0; k < inputs.size(); ++k) merged.strides[k].push_back(all[k][i]);
    }
  }
  return merged;
}

Divider::Divider(uint32_t divisor) : divisor(divisor) {
  shift = static_cast<uint32_t>(std::bit_width(divisor - 1));
  const uint64_t power = uint64_t{1} << shift;
  multiplier = static_cast<uint32_t>((((power - divisor) << 32) / divisor) + 1);
}

Layout::Layout(std::span<const View> inputs, std::span<const View> outputs)
    : count_(outputs[0].size()) {
  pattern_.wide = count_ >= kMostNarrow;
  bool rows = false;
  for (const View& input : inputs) {
    const bool same = input.shape() == outputs[0].shape() || input.size() == count_;
    pattern_.inputs.push_back(same                ? Access::kSame
                              : input.size() == 1 ? Access::kOne
                                                  : Access::kRow);
    rows = rows || pattern_.inputs.back() == Access::kRow;
  }
  if (!rows) {
    pattern_.width = widest_pack(inputs, outputs, 0);
    set_argument({});
    return;
  }
  InlineVector<const Shape*, 4> shapes;
  for (const View& input : inputs) shapes.push_back(&input.shape());
  Merged merged = merge_dimensions(outputs[0].shape(), shapes);
  pattern_.rank = static_cast<int>(merged.dims.size());
  for (size_t k = 0; k < inputs.size(); ++k)
    if (pattern_.inputs[k] == Access::kRow && merged.strides[k][0] == 0)
      pattern_.inputs[k] = Access::kRowOne;
  pattern_.width = widest_pack(inputs, outputs, merged.dims[0]);
  set_argument(merged);
}

/// As many elements as fill the widest load, if every tensor allows it: a pack may not cross the
/// end of a row (0: there are none), and must be aligned.
int Layout::widest_pack(std::span<const View> inputs, std::span<const View> outputs,
                        int64_t row) const {
  size_t widest = 1;
  for (const View& input : inputs) widest = std::max(widest, size_of(input.dtype()));
  for (const View& output : outputs) widest = std::max(widest, size_of(output.dtype()));
  const int width = kPackBytes / static_cast<int>(widest);
  const auto aligned = [width](const View& view) {
    return reinterpret_cast<uintptr_t>(view.data) % (width * size_of(view.dtype())) == 0;
  };
  for (size_t k = 0; k < inputs.size(); ++k) {
    const bool packed = pattern_.inputs[k] == Access::kSame || pattern_.inputs[k] == Access::kRow;
    if (packed && !aligned(inputs[k])) return 1;
  }
  const bool fits = std::all_of(outputs.begin(), outputs.end(), aligned) && row % width == 0;
  return fits ? width : 1;
}

void Layout::set_argument(const Merged& merged) {
  const auto put = [this](int64_t value) {
    if (pattern_.wide)
      words64_.push_back(static_cast<uint64_t>(value));
    else
      words32_.push_back(static_cast<uint32_t>(value));
  };
  put(count_);
  for (int64_t dim : merged.dims) {
    if (pattern_.wide) {
      put(dim);
    } else {
      const Divider divider(static_cast<uint32_t>(dim));
      for (uint32_t word : {divider.multiplier, divider.shift, divider.divisor}) put(word);
    }
  }
  for (size_t k = 0; k < merged.strides.size(); ++k)
    if (pattern_.inputs[k] == Access::kRow || pattern_.inputs[k] == Access::kRowOne)
      for (int64_t stride : merged.strides[k]) put(stride);
}

}  // namespace alula::cuda
