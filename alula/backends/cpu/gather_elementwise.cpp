#include "alula/ops/gather_elementwise.h"

#include <cstring>

#include "alula/backends/cpu/gather.h"
#include "alula/backends/cpu/row_program.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

constexpr int64_t kPartBytes = 128 << 10;  // of what is picked at a time: a cache has room for it
constexpr int64_t kLeastElements = 4096;   // of a part, so that calling the function is worth it
constexpr int64_t kStreamBytes = 8 << 20;  // results from here on are written past the cache

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
    const int64_t size = call.outputs[0].size();
    nanoseconds_ = 0.03 * static_cast<double>(width_) +
                   0.03 * static_cast<double>(op.program->code().size()) +
                   2.0 / static_cast<double>(gathered_.picks.size);
    int64_t each = kPartBytes / width_;
    if (nanoseconds_ * static_cast<double>(size) > team::kWorthSharing)
      each = std::clamp(ceil_div(size, 4 * team::size()), kLeastElements, each);
    is_one_part_ = size <= each;
    if (!is_one_part_) cut_into_parts(each);
    in_place_ = call.outputs[0].dtype() == params_.dtype();
    const int64_t bytes = call.outputs[0].bytes();
    at_once_ = call.outputs.size() == 1 && bytes >= kStreamBytes && bytes >= 3 * size * width_;
  }

  void run() const {
    with_bytes(gathered_.picks.size * width_, [&](auto slice) {
      is_one_part_ || at_once_ ? run_as_one(slice) : run_by_parts(slice);
    });
  }

 private:
  void cut_into_parts(int64_t each) {
    pieces_ = ceil_div(program_.columns(), each);
    columns_each_ = ceil_div(program_.columns(), pieces_);
    rows_each_ = std::clamp<int64_t>(each / program_.columns(), 1, rows_);
  }

  /// Whole rows, or where those are long a piece of one.
  Part part(int64_t i) const {
    const int64_t row = i / pieces_ * rows_each_, column = i % pieces_ * columns_each_;
    return {.row = row,
            .rows = std::min(rows_each_, rows_ - row),
            .column = column,
            .columns = std::min(columns_each_, program_.columns() - column)};
  }

  template <class F>
  void for_parts(const F& f) const {
    team::parallel_for(ceil_div(rows_, rows_each_) * pieces_,
                       nanoseconds_ * static_cast<double>(rows_each_ * columns_each_), f);
  }

  template <class Bytes>
  void run_by_parts(Bytes slice) const {
    for_parts([&](int64_t begin, int64_t end) {
      const Scratch<std::byte> room(in_place_ ? 0 : rows_each_ * columns_each_ * width_);
      for (int64_t i = begin; i < end; ++i) {
        const Part part = this->part(i);
        auto* values = in_place_ ? static_cast<std::byte*>(program_.output(part)) : room.data();
        pick(part, slice, values);
        program_.run(part, values);
      }
    });
  }

  template <class Bytes>
  void run_as_one(Bytes slice) const {
    const Scratch<std::byte> room(in_place_ ? 0 : rows_ * program_.columns() * width_);
    auto* values = in_place_ ? static_cast<std::byte*>(program_.output({})) : room.data();
    if (is_one_part_)
      copy_slices(0, gathered_.picks.rows * gathered_.picks.count, slice, values);
    else
      for_parts([&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) pick(part(i), slice, values + first_byte(part(i)));
      });
    program_.run(values);
  }

  int64_t first_byte(const Part& part) const {
    return (part.row * program_.columns() + part.column) * width_;
  }

  template <class Bytes>
  void pick(const Part& part, Bytes slice, std::byte* values) const {
    const int64_t first = first_byte(part);
    pick(first, first + part.rows * part.columns * width_, slice, values);
  }

  /// Copies the bytes [begin, end) of what is picked, whose slices have `slice` bytes.
  template <class Bytes>
  void pick(int64_t begin, int64_t end, Bytes slice, std::byte* to) const {
    const auto* from = params_.as<std::byte>();
    const int64_t first = (begin + slice - 1) / slice, last = end / slice;  // whole ones
    const auto piece = [&](int64_t a, int64_t b) {
      if (a >= b) return;
      for_slices(gathered_.picks, a / slice, a / slice + 1, gathered_,
                 [&](int64_t i, int64_t source) {
                   std::memcpy(to + (a - begin), from + source * slice + (a - i * slice),
                               static_cast<size_t>(b - a));
                 });
    };
    if (first > last) return piece(begin, end);
    piece(begin, first * slice);
    copy_slices(first, last, slice, to + (first * slice - begin));
    piece(last * slice, end);
  }

  template <class Bytes>
  void copy_slices(int64_t begin, int64_t end, Bytes slice, std::byte* to) const {
    const auto* from = params_.as<std::byte>();
    for_slices(gathered_.picks, begin, end, gathered_, [&](int64_t, int64_t source) {
      std::memcpy(to, from + source * slice, slice);
      to += slice;
    });
  }

  const View& params_;
  Gathered gathered_;
  RowProgram program_;
  int64_t width_, rows_;
  int64_t rows_each_ = 0, columns_each_ = 0, pieces_ = 1;  // how the result is cut into parts
  double nanoseconds_;                                     // an element
  bool in_place_;  // whether what is picked waits for the function where its first result will be
  bool is_one_part_;
  // The function writes a large result past the cache if it makes all of it in one call, which
  // saves more than to pick it as a whole costs where what is picked is much smaller.
  bool at_once_;
};

const RegisterKernel<DeviceType::kCPU, GatherElementwise> registered{
    [](const GatherElementwise& op, const KernelCall& call) {
      // An empty result reads nothing, the indices included: as `gather` does.
      if (call.outputs[0].size() != 0) FusedGather(op, call).run();
    }};

}  // namespace
}  // namespace alula::cpu
