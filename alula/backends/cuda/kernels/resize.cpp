#include "alula/ops/resize.h"

#include <algorithm>
#include <bit>

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/layout.h"

namespace alula::cuda {
namespace {

/// The device code's structs of these names.
constexpr size_t kWords = 960;  // what the arguments of a launch have room for
struct Words {
  uint32_t at[kWords];
};
struct Taps {
  const int* first;
  const float* weights;
  int count, from, to;
  int blends;
};
struct Resized {
  Taps y, x;
  Divider channels, columns;
  int count;
  long long images;
};

int64_t from_end(const View& view, int axis) { return view.shape()[view.shape().rank() - axis]; }

/// Taps in the card's memory. They travel as arguments of launches, so that a captured graph has
/// them, too.
class Uploaded {
 public:
  Uploaded(const KernelCall& call, const ResizeTaps& taps, int64_t from)
      : taps_(taps), from_(from), scratch_(4 * (taps.first.size() + taps.weights.size())) {
    std::vector<uint32_t> words;
    words.reserve(taps.first.size() + taps.weights.size());
    for (const int64_t first : taps.first) words.push_back(static_cast<uint32_t>(first));
    for (const float weight : taps.weights) words.push_back(std::bit_cast<uint32_t>(weight));
    for (size_t i = 0; i < words.size(); i += kWords) {
      Words part{};
      const size_t count = std::min(kWords, words.size() - i);
      std::copy_n(words.data() + i, count, part.at);
      launch(call, {"arithmetic resize", fmt::format("put_words<{}>", kWords)}, Grid{},
             static_cast<uint32_t*>(scratch_.data()) + i, static_cast<int>(count), part);
    }
  }

  Taps taps() const {
    const auto* words = static_cast<const uint32_t*>(scratch_.data());
    return {reinterpret_cast<const int*>(words),
            reinterpret_cast<const float*>(words + taps_.first.size()),
            static_cast<int>(taps_.count),
            static_cast<int>(from_),
            static_cast<int>(taps_.first.size()),
            taps_.blends};
  }

 private:
  const ResizeTaps& taps_;
  int64_t from_;
  Scratch scratch_;
};

void resample(const KernelCall& call, const std::string& function, const ResizeTaps& y,
              const ResizeTaps& x) {
  const View &from = call.inputs[0], &to = call.outputs[0];
  const int64_t channels = from_end(to, 1), columns = from_end(to, 2);
  const int64_t count = from_end(to, 3) * columns * channels;
  require<UnimplementedError>(count < int64_t{1} << 31,
                              "resize: an image is too large for a GPU. Got {}.", *to.spec);
  const Uploaded rows(call, y, from_end(from, 3)), row(call, x, from_end(from, 2));
  const Resized resized{rows.taps(),
                        row.taps(),
                        Divider(static_cast<uint32_t>(channels)),
                        Divider(static_cast<uint32_t>(columns)),
                        static_cast<int>(count),
                        to.size() / count};
  Grid grid = grid_for(count);
  grid.blocks[1] = static_cast<unsigned>(std::min<int64_t>(to.size() / count, 65535));
  launch(call, {"arithmetic resize", function}, grid, from.data, to.data, resized);
}

std::string resample_of(const KernelCall& call) {
  return fmt::format("resample<{}, {}>", type_name(call.inputs[0].dtype()),
                     type_name(call.outputs[0].dtype()));
}

const RegisterGpuKernel<Resize> registered{
    [](const Resize& op, const KernelCall& call) {
      const View &from = call.inputs[0], &to = call.outputs[0];
      if (to.size() == 0) return;
      const bool nearest = op.method == ResizeMethod::kNearest;
      resample(
          call,
          nearest ? fmt::format("resize_nearest<{}>", bits_name(to.dtype())) : resample_of(call),
          ResizeTaps::of(from_end(from, 3), from_end(to, 3), op),
          ResizeTaps::of(from_end(from, 2), from_end(to, 2), op));
    },
    kNumeric};

const RegisterGpuKernel<ResizeGradient> gradient_registered{
    [](const ResizeGradient& op, const KernelCall& call) {
      const View &from = call.inputs[0], &to = call.outputs[0];
      if (to.size() == 0) return;
      const int64_t height = from_end(to, 3), width = from_end(to, 2);
      resample(call, resample_of(call),
               ResizeTaps::of(height, from_end(from, 3), op).transposed(height),
               ResizeTaps::of(width, from_end(from, 2), op).transposed(width));
    },
    kFloating};

}  // namespace
}  // namespace alula::cuda
