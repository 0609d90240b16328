#include "alula/ops/crop_or_pad.h"

#include <algorithm>
#include <cstring>

#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// The part of a window that lies in the image: [begin, end) of the window.
struct Inside {
  int64_t begin, end;
};
Inside inside(const Framing::Part& part, int64_t dim) {
  const int64_t begin = std::clamp<int64_t>(-part.begin, 0, part.size);
  return {begin, std::clamp<int64_t>(dim - part.begin, begin, part.size)};
}

/// One row of the result.
struct Row {
  int64_t before, middle, after;  // bytes
  void write(const char* from, char* to) const {
    std::memset(to, 0, static_cast<size_t>(before));
    std::memcpy(to + before, from, static_cast<size_t>(middle));
    std::memset(to + before + middle, 0, static_cast<size_t>(after));
  }
};

void run(const CropOrPad& op, const KernelCall& call) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  if (y.size() == 0) return;
  const int rank = x.shape().rank();
  const int64_t height = x.shape()[rank - 3], width = x.shape()[rank - 2];
  const auto pixel =
      x.shape()[rank - 1] * static_cast<int64_t>(alula::size_of(x.dtype()));  // bytes
  const Framing::Part rows = op.height.of(op.kName, "height", height);
  const Framing::Part columns = op.width.of(op.kName, "width", width);
  const Inside in_y = inside(rows, height), in_x = inside(columns, width);
  const Row row{in_x.begin * pixel, (in_x.end - in_x.begin) * pixel,
                (columns.size - in_x.end) * pixel};
  const int64_t row_bytes = columns.size * pixel;
  const int64_t count = y.bytes() / row_bytes;
  team::parallel_for(count, 0.1 * static_cast<double>(row_bytes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char* to = y.as<char>() + i * row_bytes;
      const int64_t at = i % rows.size;
      if (at < in_y.begin || at >= in_y.end || row.middle == 0) {
        std::memset(to, 0, static_cast<size_t>(row_bytes));
        continue;
      }
      const int64_t source = i / rows.size * height + at + rows.begin;
      row.write(x.as<char>() + (source * width + columns.begin + in_x.begin) * pixel, to);
    }
  });
}

const RegisterKernel<DeviceType::kCPU, CropOrPad> registered{run};

}  // namespace
}  // namespace alula::cpu
