#include "alula/backends/cpu/resize.h"

#include <cstring>

#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

int64_t from_end(const View& view, int axis) { return view.shape()[view.shape().rank() - axis]; }

Resampling resampling(const View& from, const View& to, const ResizeTaps& y, const ResizeTaps& x) {
  const int64_t height = from_end(from, 3), width = from_end(from, 2), channels = from_end(from, 1);
  return {.dtype = from.dtype(),
          .result_dtype = to.dtype(),
          .count = from.size() / (height * width * channels),
          .height = height,
          .width = width,
          .channels = channels,
          .y = y,
          .x = x,
          .images = from.data,
          .result = to.data};
}

/// Copies the pixels of one row. kBytes: of a pixel if that is known, else 0.
template <int64_t kBytes>
void copy_pixels(const char* from, const std::vector<int64_t>& columns, int64_t bytes, char* to) {
  const int64_t size = kBytes == 0 ? bytes : kBytes;
  for (const int64_t column : columns) {
    std::memcpy(to, from + column * size, static_cast<size_t>(size));
    to += size;
  }
}

using CopyPixels = void (*)(const char*, const std::vector<int64_t>&, int64_t, char*);
CopyPixels copier_of(int64_t bytes) {
  switch (bytes) {
    case 1: return copy_pixels<1>;
    case 2: return copy_pixels<2>;
    case 3: return copy_pixels<3>;
    case 4: return copy_pixels<4>;
    case 6: return copy_pixels<6>;
    case 8: return copy_pixels<8>;
    case 12: return copy_pixels<12>;
    case 16: return copy_pixels<16>;
    default: return copy_pixels<0>;
  }
}

/// Rows that come from the same one are made once.
void pick_nearest(const Resize& op, const View& from, const View& to) {
  const int64_t height = from_end(from, 3), width = from_end(from, 2);
  const ResizeTaps y = ResizeTaps::of(height, from_end(to, 3), op);
  const ResizeTaps x = ResizeTaps::of(width, from_end(to, 2), op);
  const auto pixel = from_end(from, 1) * static_cast<int64_t>(size_of(from.dtype()));
  const int64_t row = from_end(to, 2) * pixel, rows = from_end(to, 3);
  const CopyPixels copy = copier_of(pixel);
  team::parallel_for(
      to.bytes() / row, 0.2 * static_cast<double>(row), [&](int64_t begin, int64_t end) {
        int64_t made = -1;  // which row of the images the one before is from
        for (int64_t i = begin; i < end; ++i) {
          const int64_t source = i / rows * height + y.first[static_cast<size_t>(i % rows)];
          char* out = to.as<char>() + i * row;
          if (source == made)
            std::memcpy(out, out - row, static_cast<size_t>(row));
          else
            copy(from.as<char>() + source * width * pixel, x.first, pixel, out);
          made = source;
        }
      });
}

const RegisterKernel<DeviceType::kCPU, Resize> registered{
    [](const Resize& op, const KernelCall& call) {
      const View &from = call.inputs[0], &to = call.outputs[0];
      if (to.size() == 0) return;
      if (op.method == ResizeMethod::kNearest) return pick_nearest(op, from, to);
      const ResizeTaps y = ResizeTaps::of(from_end(from, 3), from_end(to, 3), op);
      const ResizeTaps x = ResizeTaps::of(from_end(from, 2), from_end(to, 2), op);
      resample(resampling(from, to, y, x));
    }};

const RegisterKernel<DeviceType::kCPU, ResizeGradient> gradient_registered{
    [](const ResizeGradient& op, const KernelCall& call) {
      const View &from = call.inputs[0], &to = call.outputs[0];
      if (to.size() == 0) return;
      const int64_t height = from_end(to, 3), width = from_end(to, 2);
      const ResizeTaps y = ResizeTaps::of(height, from_end(from, 3), op).transposed(height);
      const ResizeTaps x = ResizeTaps::of(width, from_end(from, 2), op).transposed(width);
      resample(resampling(from, to, y, x));
    }};

}  // namespace
}  // namespace alula::cpu
