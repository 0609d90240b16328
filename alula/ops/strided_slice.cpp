#include "alula/ops/strided_slice.h"

#include <algorithm>
#include <bit>

#include "alula/ops/attributes.h"
#include "alula/ops/fill.h"
#include "alula/ops/pad.h"
#include "alula/ops/reshape.h"
#include "alula/ops/reverse.h"
#include "alula/ops/slice.h"

namespace alula {
namespace {

const RegisterOp<StridedSlice> registered;

bool has(uint32_t mask, int bit) { return (mask >> bit) & 1; }

/// The elements from begin on, before end is reached or passed.
int64_t count_steps(int64_t begin, int64_t end, int64_t stride) {
  const int64_t distance = end - begin;
  if (distance == 0 || (distance < 0) != (stride < 0)) return 0;
  return distance / stride + (distance % stride != 0 ? 1 : 0);
}

/// A position as a number from `low` to `high`.
int64_t clamp_position(int64_t position, int64_t dim, int64_t low, int64_t high) {
  return std::clamp(position < 0 ? position + dim : position, low, high);
}

}  // namespace

Tensor strided_slice(const Tensor& x, const Ints& begin, const Ints& end,
                     const StridedSliceOptions& options) {
  return call(StridedSlice(begin, end, options), x);
}

Tensor at(const Tensor& x, std::initializer_list<Index> index) {
  Ints begin, end;
  StridedSliceOptions options;
  uint32_t bit = 1;
  for (const Index& entry : index) {
    begin.push_back(entry.begin());
    end.push_back(entry.end());
    options.strides.push_back(entry.stride());
    // Backwards, the end lies before the first element: no number says so.
    if (entry.end() == Index::kEnd) options.end_mask |= bit;
    if (entry.kind() == Index::Kind::kPosition) options.shrink_axis_mask |= bit;
    if (entry.kind() == Index::Kind::kEllipsis) options.ellipsis_mask |= bit;
    if (entry.kind() == Index::Kind::kNewAxis) options.new_axis_mask |= bit;
    bit <<= 1;
  }
  return call(StridedSlice(begin, end, options), x);
}

StridedSlice::StridedSlice(const Ints& begin, const Ints& end, const StridedSliceOptions& options)
    : StridedSliceMasks(options), begin(begin), end(end), strides(options.strides) {
  if (strides.empty())
    for (size_t i = 0; i < begin.size(); ++i) strides.push_back(1);
}

/// The place of the entry that stands for the dimensions left over: behind the last if there is
/// none.
int StridedSlice::find_ellipsis() const {
  const auto count = static_cast<int>(begin.size());
  const uint32_t all = count < 32 ? (1u << count) - 1 : ~0u;
  require(std::popcount(ellipsis_mask & all) <= 1, "{}: there can be only one ellipsis.", kName);
  return (ellipsis_mask & all) != 0 ? std::countr_zero(ellipsis_mask) : count;
}

/// Resolves one entry for the next dimension of the input.
void StridedSlice::resolve_entry(int entry, const Shape& input, Resolved& result) const {
  const auto axis = static_cast<int>(result.size.size());
  const int64_t dim = input[axis], stride = strides[entry];
  require(stride != 0, "{}: strides[{}] cannot be 0.", kName, entry);
  if (has(shrink_axis_mask, entry)) {
    require(stride > 0, "{}: strides[{}] must be positive where one element is picked. Got {}.",
            kName, entry, stride);
    const int64_t position = begin[entry];
    require(dim == kUnknown || (position >= -dim && position < dim),
            "{}: position {} is out of range for dimension {}, which has {} elements.", kName,
            position, axis, dim);
    result.begin.push_back(position < 0 ? position + dim : position);
    result.stride.push_back(1);
    result.size.push_back(1);
    return;
  }
  result.stride.push_back(stride);
  if (dim == kUnknown) {
    result.begin.push_back(0);
    result.size.push_back(kUnknown);
    result.shape.push_back(kUnknown);
    return;
  }
  // Backwards, the first element is the last one, and the end stands before the first.
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  const int64_t first = has(begin_mask, entry) ? (stride > 0 ? low : high)
                                               : clamp_position(begin[entry], dim, low, high);
  const int64_t last =
      has(end_mask, entry) ? (stride > 0 ? high : low) : clamp_position(end[entry], dim, low, high);
  result.begin.push_back(first);
  result.size.push_back(count_steps(first, last, stride));
  result.shape.push_back(result.size.back());
}

StridedSlice::Resolved StridedSlice::resolve(const Shape& input) const {
  require(begin.size() == end.size() && begin.size() == strides.size(),
          "{}: begin, end and strides must be equally long. Got begin {}, end {}, strides {}.",
          kName, begin, end, strides);
  require(begin.size() <= 32, "{}: at most 32 entries are supported. Got begin {}.", kName, begin);
  const auto count = static_cast<int>(begin.size());
  const int ellipsis = find_ellipsis();
  int named = 0;  // entries that take a dimension of the input
  for (int entry = 0; entry < count; ++entry)
    named += entry != ellipsis && !has(new_axis_mask, entry);
  require(named <= input.rank(), "{}: there are {} indices, but {} dimension{}. Got the input {}.",
          kName, named, input.rank(), input.rank() == 1 ? "" : "s", input);

  Resolved result;
  for (int entry = 0; entry <= count; ++entry) {
    if (entry == ellipsis) {
      for (int left = input.rank() - named; left > 0; --left) {
        const int64_t dim = input[static_cast<int>(result.size.size())];
        result.begin.push_back(0);
        result.stride.push_back(1);
        result.size.push_back(dim);
        result.shape.push_back(dim);
      }
    } else if (entry < count && has(new_axis_mask, entry)) {
      result.shape.push_back(1);
    } else if (entry < count) {
      resolve_entry(entry, input, result);
    }
  }
  return result;
}

Specs StridedSlice::infer(SpecRefs inputs) const {
  return {inputs[0].with(resolve(inputs[0].shape).shape)};
}

namespace {

/// x with `step` - 1 zeros between its elements along an axis.
///   {1, 2, 3} by steps of 2  ->  {1, 0, 2, 0, 3}
Tensor spread(const Tensor& x, int axis, int64_t step) {
  const Shape& shape = x.shape();
  const int64_t outer = shape.slice(0, axis).size(), count = shape[axis],
                inner = shape.slice(axis + 1, shape.rank()).size();
  // The zeros that follow an element are further elements of its row.
  const Tensor rows = reshape(x, {outer, count, inner});
  const Tensor wide =
      reshape(pad(rows, {{0, 0}, {0, 0}, {0, (step - 1) * inner}}), {outer, count * step, inner});
  const int64_t size = (count - 1) * step + 1;
  return reshape(slice(wide, {0, 0, 0}, {outer, size, inner}), shape.with(axis, size));
}

}  // namespace

/// The elements go back to where they were taken from, among zeros.
Gradients StridedSlice::gradient(const Recorded& call) const {
  const Shape& from = call.input_spec().shape;
  const Resolved taken = resolve(from);
  if (call.dy().size() == 0) return {zeros(from, call.dy().dtype())};
  std::vector<int64_t> backwards;
  for (int i = 0; i < from.rank(); ++i)
    if (taken.stride[i] < 0 && taken.size[i] > 1) backwards.push_back(i);
  Tensor dx = reshape(call.dy(), Shape(std::span<const int64_t>(taken.size)));
  if (!backwards.empty()) dx = reverse(dx, backwards);
  Paddings around;
  for (int i = 0; i < from.rank(); ++i) {
    const int64_t last = taken.size[i] - 1, step = last > 0 ? std::abs(taken.stride[i]) : 1;
    const int64_t first = taken.begin[i] + (taken.stride[i] < 0 ? -last * step : 0);
    if (step > 1) dx = spread(dx, i, step);
    around.push_back({.before = first, .after = from[i] - first - last * step - 1});
  }
  return {pad(dx, around)};
}

/// One more entry before the others: all of the leading dimension.
Tensors StridedSlice::batched(std::span<const BatchedInput> inputs, int64_t) const {
  StridedSlice wider({0}, {0});
  for (size_t i = 0; i < begin.size(); ++i) {
    wider.begin.push_back(begin[i]);
    wider.end.push_back(end[i]);
    wider.strides.push_back(strides[i]);
  }
  wider.begin_mask = begin_mask << 1 | 1;
  wider.end_mask = end_mask << 1 | 1;
  wider.ellipsis_mask = ellipsis_mask << 1;
  wider.new_axis_mask = new_axis_mask << 1;
  wider.shrink_axis_mask = shrink_axis_mask << 1;
  return call_all(wider, {&inputs[0].value, 1});
}

Attributes StridedSlice::attributes() const {
  Attributes attributes = {{"begin", begin}, {"end", end}, {"strides", strides}};
  add_unless(0, attributes, "begin_mask", begin_mask);
  add_unless(0, attributes, "end_mask", end_mask);
  add_unless(0, attributes, "ellipsis_mask", ellipsis_mask);
  add_unless(0, attributes, "new_axis_mask", new_axis_mask);
  add_unless(0, attributes, "shrink_axis_mask", shrink_axis_mask);
  return attributes;
}

}  // namespace alula
