#include "alula/backends/cpu/broadcast.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace alula::cpu {
namespace {

/// Repeats the first `done` bytes up to `all`, each time by all there are.
void repeat(std::byte* to, int64_t done, int64_t all) {
  while (done < all) {
    const int64_t count = std::min(done, all - done);
    std::memcpy(to + done, to, count);
    done += count;
  }
}

/// Strides over the output's dimensions: 0 where the input repeats.
std::array<int64_t, kMaxRank> strides_over(const Shape& output, const Shape& input) {
  std::array<int64_t, kMaxRank> strides{};
  const int offset = output.rank() - input.rank();
  int64_t step = 1;
  for (int i = input.rank() - 1; i >= 0; --i) {
    strides[offset + i] = input[i] == 1 ? 0 : step;
    step *= input[i];
  }
  return strides;
}

template <class T>
void copy_row(const std::byte* from, bool repeats, int64_t n, std::byte* to) {
  if (repeats) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    std::fill_n(reinterpret_cast<T*>(to), n, value);
  } else {
    std::memcpy(to, from, n * sizeof(T));
  }
}

}  // namespace

Broadcast::Broadcast(const Shape& output, std::span<const View> inputs) {
  int rank = 0;
  std::array<int64_t, kMaxRank> dims{};
  InlineVector<std::array<int64_t, kMaxRank>, 4> all;
  bool any = false;
  for (const View& input : inputs) {
    const bool same = input.shape() == output || input.size() == output.size();
    kinds_.push_back(same ? Kind::kSame : input.size() == 1 ? Kind::kOne : Kind::kRow);
    any = any || kinds_.back() == Kind::kRow;
  }
  if (!any) return;

  for (const View& input : inputs) all.push_back(strides_over(output, input.shape()));
  // From the innermost dimension outwards: one that continues the one inside it joins it.
  InlineVector<std::array<int64_t, kMaxRank>, 4> merged;
  for (size_t k = 0; k < inputs.size(); ++k) merged.push_back({});
  for (int i = output.rank() - 1; i >= 0; --i) {
    if (output[i] == 1) continue;
    bool joins = rank > 0;
    for (size_t k = 0; k < inputs.size() && joins; ++k)
      joins = all[k][i] == merged[k][rank - 1] * dims[rank - 1];
    if (joins) {
      dims[rank - 1] *= output[i];
    } else {
      dims[rank] = output[i];
      for (size_t k = 0; k < inputs.size(); ++k) merged[k][rank] = all[k][i];
      ++rank;
    }
  }
  for (int i = rank - 1; i >= 0; --i) dims_.push_back(dims[i]);
  for (size_t k = 0; k < inputs.size(); ++k) {
    Shape strides;
    for (int i = rank - 1; i >= 0; --i) strides.push_back(merged[k][i]);
    strides_.push_back(strides);
    if (kinds_[k] != Kind::kRow) continue;
    ++rows_;
    if (strides.back() == 0) kinds_[k] = Kind::kRowOne;
  }
}

int64_t Broadcast::offset(size_t input, int64_t i) const {
  const Shape& strides = strides_[input];
  int64_t offset = 0;
  for (int axis = dims_.rank() - 1; axis >= 0; --axis) {
    offset += i % dims_[axis] * strides[axis];
    i /= dims_[axis];
  }
  return offset;
}

bool Broadcast::is_one_row(size_t input) const {
  const Shape& strides = strides_[input];
  for (int axis = 0; axis + 1 < strides.rank(); ++axis)
    if (strides[axis] != 0) return false;
  return strides.back() != 0;
}

void Broadcast::fill(size_t input, int64_t begin, int64_t n, const std::byte* from, std::byte* to,
                     int64_t width) const {
  const int64_t row = dims_.back();
  const bool repeats = strides_[input].back() == 0;
  // The position of the row within the dimensions outside it, counted up as rows go by.
  std::array<int64_t, kMaxRank> position{};
  int64_t start = 0;
  int64_t rest = begin / row;
  for (int axis = dims_.rank() - 2; axis >= 0; --axis) {
    position[axis] = rest % dims_[axis];
    rest /= dims_[axis];
    start += position[axis] * strides_[input][axis];
  }
  int64_t inside = begin % row;
  if (is_one_row(input)) {  // a bias: the same row again and again
    const int64_t head = std::min(n, row - inside), period = std::min(n, row);
    std::memcpy(to, from + inside * width, head * width);
    if (head < period) std::memcpy(to + head * width, from, (period - head) * width);
    return repeat(to, period * width, n * width);
  }
  while (n > 0) {
    const int64_t count = std::min(n, row - inside);
    const std::byte* source = from + (start + (repeats ? 0 : inside)) * width;
    switch (width) {
      case 1: copy_row<uint8_t>(source, repeats, count, to); break;
      case 2: copy_row<uint16_t>(source, repeats, count, to); break;
      case 4: copy_row<uint32_t>(source, repeats, count, to); break;
      default: copy_row<uint64_t>(source, repeats, count, to); break;
    }
    to += count * width;
    n -= count;
    inside = 0;
    for (int axis = dims_.rank() - 2; axis >= 0; --axis) {
      start += strides_[input][axis];
      if (++position[axis] < dims_[axis]) break;
      start -= strides_[input][axis] * dims_[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace alula::cpu
