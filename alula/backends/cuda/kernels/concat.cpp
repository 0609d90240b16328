// Putting tensors together along an axis, and taking them apart again.
#include "alula/ops/concat.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/split.h"

namespace alula::cuda {
namespace {

enum class Direction : uint8_t { kJoin, kCut };

/// As many parts as one launch takes.
constexpr size_t kMostParts = 16;

/// A part, and how many elements of each row of the whole it has.
struct Part {
  void* data;
  int64_t size;
};

/// Device code's Parts<Index>.
template <class Index>
struct Parts {
  Index count;
  DividerOf<Index> length;
  Index row, begin;
  Index ends[kMostParts];
  void* at[kMostParts];
};

/// A whole tensor as rows, and its parts as pieces of these: one row for each combination of the
/// dimensions before the axis.
class Rows {
 public:
  Rows(const KernelCall& call, const View& whole, int axis) : call_(call), whole_(whole) {
    for (int i = 0; i < axis; ++i) rows_ *= whole.shape()[i];
    for (int i = axis + 1; i < whole.shape().rank(); ++i) inner_ *= whole.shape()[i];
    row_ = inner_ * whole.shape()[axis];
  }

  void add(const View& part, int64_t along) {
    if (part.size() > 0) parts_.push_back({part.data, along * inner_});
  }

  void run(Direction direction) const {
    const Unit unit(whole_.dtype(), [&](int64_t elements, int64_t bytes) {
      bool fits = row_ % elements == 0 && is_aligned(whole_.data, bytes);
      for (const Part& part : parts_)
        fits = fits && part.size % elements == 0 && is_aligned(part.data, bytes);
      return fits;
    });
    int64_t begin = 0;
    for (size_t first = 0; first < parts_.size(); first += kMostParts) {
      const std::span parts =
          std::span(parts_).subspan(first, std::min(kMostParts, parts_.size() - first));
      with_index(whole_.size(), [&]<class Index>(Index) {
        begin += launch_parts<Index>(direction, unit, parts, begin);
      });
    }
  }

 private:
  /// Returns how much of a row the parts make up.
  template <class Index>
  int64_t launch_parts(Direction direction, const Unit& unit, std::span<const Part> parts,
                       int64_t begin) const {
    const auto index = [&](int64_t i) { return static_cast<Index>(i / unit.elements); };
    Parts<Index> argument{.row = index(row_), .begin = index(begin), .ends = {}, .at = {}};
    int64_t length = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
      length += parts[k].size;
      argument.ends[k] = index(length);
      argument.at[k] = parts[k].data;
    }
    argument.count = index(rows_ * length);
    argument.length = DividerOf<Index>(index(length));
    launch(call_,
           {"join", fmt::format("join<{}, {}, {}>", unit_name(unit.bytes),
                                direction == Direction::kJoin, index_name<Index>())},
           grid_for(rows_ * length / unit.elements), whole_.data, argument);
    return length;
  }

  const KernelCall& call_;
  const View& whole_;
  int64_t rows_ = 1, row_ = 1;
  int64_t inner_ = 1;  // elements for each step along the axis
  std::vector<Part> parts_;
};

const RegisterGpuKernel<Concat> registered_concat{
    [](const Concat& op, const KernelCall& call) {
      const View& whole = call.outputs[0];
      if (whole.size() == 0) return;
      const int axis = normalize_axis(Concat::kName, op.axis, whole.shape().rank());
      Rows rows(call, whole, axis);
      for (const View& part : call.inputs) rows.add(part, part.shape()[axis]);
      rows.run(Direction::kJoin);
    },
    kNumericOrBool};

const RegisterGpuKernel<Stack> registered_stack{
    [](const Stack& op, const KernelCall& call) {
      const View& whole = call.outputs[0];
      if (whole.size() == 0) return;
      Rows rows(call, whole, normalize_axis(Stack::kName, op.axis, whole.shape().rank()));
      for (const View& part : call.inputs) rows.add(part, 1);
      rows.run(Direction::kJoin);
    },
    kNumericOrBool};

const RegisterGpuKernel<Split> registered_split{[](const Split& op, const KernelCall& call) {
                                                  const View& whole = call.inputs[0];
                                                  if (whole.size() == 0) return;
                                                  const int axis = normalize_axis(
                                                      Split::kName, op.axis, whole.shape().rank());
                                                  Rows rows(call, whole, axis);
                                                  for (const View& part : call.outputs)
                                                    rows.add(part, part.shape()[axis]);
                                                  rows.run(Direction::kCut);
                                                },
                                                kNumericOrBool};

const RegisterGpuKernel<Unstack> registered_unstack{
    [](const Unstack& op, const KernelCall& call) {
      const View& whole = call.inputs[0];
      if (whole.size() == 0) return;
      Rows rows(call, whole, normalize_axis(Unstack::kName, op.axis, whole.shape().rank()));
      for (const View& part : call.outputs) rows.add(part, 1);
      rows.run(Direction::kCut);
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
