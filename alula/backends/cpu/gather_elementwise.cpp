#include "alula/ops/gather_elementwise.h"

#include <cstring>

#include "alula/backends/cpu/gather.h"
#include "alula/backends/cpu/row_program.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

// Of what is picked at a time: little enough to be in the first cache when the function reads it,
// and enough for a call of the function to be worth it.
constexpr int64_t kMostElements = 8192;
constexpr int64_t kLeastElements = 1024;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Slices are copied together, a part of the result at a time, and given to the function.
class FusedGather {
 public:
  FusedGather(const GatherElementwise& op, const KernelCall& call)
      : params_(call.inputs[0]),
        gathered_(op.gather, params_, call.inputs[1]),
        program_(*op.program, call.inputs.subspan(2), call.outputs),
        width_(static_cast<int64_t>(size_of(params_.dtype()))),
        rows_(call.outputs[0].size() / program_.columns()) {
    nanoseconds_ = 0.06 * static_cast<double>(width_) +
                   0.1 * static_cast<double>(op.program->code().size()) +
                   2.0 / static_cast<double>(gathered_.picks.size);
    const int64_t size = call.outputs[0].size(), columns = program_.columns();
    const int64_t each =
        std::clamp(ceil_div(size, 4 * team::size()), kLeastElements, kMostElements);
    pieces_ = ceil_div(columns, each);
    columns_each_ = ceil_div(columns, pieces_);
    rows_each_ = std::clamp<int64_t>(each / columns, 1, rows_);
  }

  void run() const {
    const int64_t each = rows_each_ * columns_each_;
    with_bytes(gathered_.picks.size * width_, [&](auto slice) {
      team::parallel_for(ceil_div(rows_, rows_each_) * pieces_,
                         nanoseconds_ * static_cast<double>(each), [&](int64_t begin, int64_t end) {
                           const Scratch<std::byte> values(each * width_);
                           for (int64_t i = begin; i < end; ++i) run(part(i), slice, values.data());
                         });
    });
  }

 private:
  /// Whole rows, or where those are long a piece of one.
  Part part(int64_t i) const {
    const int64_t row = i / pieces_ * rows_each_, column = i % pieces_ * columns_each_;
    return {.row = row,
            .rows = std::min(rows_each_, rows_ - row),
            .column = column,
            .columns = std::min(columns_each_, program_.columns() - column)};
  }

  template <class Bytes>
  void run(const Part& part, Bytes slice, std::byte* values) const {
    const int64_t first = (part.row * program_.columns() + part.column) * width_;
    pick(first, first + part.rows * part.columns * width_, slice, values);
    program_.run(part, values);
  }

  /// Copies the bytes [begin, end) of what is picked, whose slices have `slice` bytes.
  template <class Bytes>
  void pick(int64_t begin, int64_t end, Bytes slice, std::byte* to) const {
    const auto* from = params_.as<std::byte>();
    for_slices(gathered_.picks, begin / slice, (end + slice - 1) / slice, gathered_,
               [&](int64_t i, int64_t source) {
                 const std::byte* at = from + source * slice;
                 const int64_t start = i * slice;
                 if (start >= begin && start + slice <= end) {
                   std::memcpy(to + (start - begin), at, slice);
                 } else {  // slices that other parts share
                   const int64_t a = std::max(start, begin), b = std::min(start + slice, end);
                   std::memcpy(to + (a - begin), at + (a - start), static_cast<size_t>(b - a));
                 }
               });
  }

  const View& params_;
  Gathered gathered_;
  RowProgram program_;
  int64_t width_, rows_;
  int64_t rows_each_, columns_each_, pieces_;  // how the result is cut into parts
  double nanoseconds_;                         // an element
};

const RegisterKernel<DeviceType::kCPU, GatherElementwise> registered{
    [](const GatherElementwise& op, const KernelCall& call) {
      // An empty result reads nothing, the indices included: as `gather` does.
      if (call.outputs[0].size() != 0) FusedGather(op, call).run();
    }};

}  // namespace
}  // namespace alula::cpu
