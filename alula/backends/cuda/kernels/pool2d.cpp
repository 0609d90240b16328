#include "alula/backends/cuda/kernels/pool2d.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/layout.h"
#include "alula/ops/avg_pool2d.h"
#include "alula/ops/max_pool2d.h"
#include "alula/ops/max_pool2d_positions.h"

namespace alula::cuda {
namespace {

/// The device code's structs of these names.
struct PoolAxis {
  explicit PoolAxis(const Window& window)
      : input(static_cast<int>(window.input)),
        size(static_cast<int>(window.size)),
        stride(static_cast<int>(window.stride)),
        before(static_cast<int>(window.before)),
        output(static_cast<int>(window.output)) {}
  int input, size, stride, before, output;
};
struct Pool {
  PoolAxis y, x;
  Divider packs, columns;
  int count, channels;
  long long images;
};

/// Whether a thread has a window, or a pixel that asks the windows that hold it.
enum class Each { kWindow, kPixel };

/// One of the kernels: all of them take tensors, then the shapes. The first tensor that is given
/// has the op's dtype.
class Pooling {
 public:
  Pooling(std::string_view function, Each each, const Windows& windows)
      : function_(function), each_(each), windows_(windows) {}

  template <class... Views>
  void run(const KernelCall& call, const View& first, const Views&... views) const {
    const int width = std::min({width_of(first), width_of(views)...});
    launch_with(call, first.dtype(), first.shape(), width, first.data, views.data...);
  }

 private:
  static int width_of(const View& view) {
    const auto bytes = static_cast<int>(size_of(view.dtype()));
    int width = std::max(1, std::min(4, 16 / bytes));
    while (view.shape()[3] % width != 0 ||
           reinterpret_cast<uintptr_t>(view.data) % (width * bytes) != 0)
      width /= 2;
    return width;
  }

  template <class... Pointers>
  void launch_with(const KernelCall& call, DType dtype, const Shape& shape, int width,
                   Pointers... pointers) const {
    const auto& [y, x] = windows_;
    const bool known = y.size <= 3 && x.size <= 3;
    const int64_t packs = shape[3] / width;
    const int64_t rows = each_ == Each::kWindow ? y.output : y.input;
    const int64_t columns = each_ == Each::kWindow ? x.output : x.input;
    const int64_t count = rows * columns * packs;
    if (count * shape[0] == 0) return;
    require<UnimplementedError>(
        count < int64_t{1} << 31 && y.size < int64_t{1} << 31 && x.size < int64_t{1} << 31,
        "{}: an image is too large for a GPU. Got {}.", function_, shape);
    const Pool pool{PoolAxis(y),
                    PoolAxis(x),
                    Divider(static_cast<uint32_t>(packs)),
                    Divider(static_cast<uint32_t>(columns)),
                    static_cast<int>(count),
                    static_cast<int>(shape[3]),
                    shape[0]};
    Grid grid = grid_for(count);
    grid.blocks[1] = static_cast<unsigned>(std::min<int64_t>(shape[0], 65535));
    launch(call,
           {"arithmetic pool2d", fmt::format("{}<{}, {}, {}, {}>", function_, type_name(dtype),
                                             known ? y.size : 0, known ? x.size : 0, width)},
           grid, pointers..., pool);
  }

  std::string_view function_;
  Each each_;
  const Windows& windows_;
};

const RegisterGpuKernel<MaxPool2D> max{[](const MaxPool2D& op, const KernelCall& call) {
                                         const View& input = call.inputs[0];
                                         find_winners(call,
                                                      pool2d_windows(op.kName, *input.spec, op),
                                                      input, call.outputs[0], nullptr);
                                       },
                                       kNumeric};

const RegisterGpuKernel<MaxPool2DWithPositions> max_with_positions{
    [](const MaxPool2DWithPositions& op, const KernelCall& call) {
      const View& input = call.inputs[0];
      find_winners(call, pool2d_windows(op.kName, *input.spec, op), input, call.outputs[0],
                   &call.outputs[1]);
    },
    kNumeric};

const RegisterGpuKernel<AvgPool2D> average{
    [](const AvgPool2D& op, const KernelCall& call) {
      const View& input = call.inputs[0];
      const Windows windows = pool2d_windows(op.kName, *input.spec, op);
      Pooling("avg_pool2d", Each::kWindow, windows).run(call, input, call.outputs[0]);
    },
    kFloating};

const RegisterGpuKernel<MaxPool2DPick> pick{
    [](const MaxPool2DPick& op, const KernelCall& call) {
      const View& input = call.inputs[0];
      const Windows windows = pool2d_windows(op.kName, *input.spec, op);
      Pooling("max_pool2d_pick", Each::kWindow, windows)
          .run(call, input, call.inputs[1], call.inputs[2], call.outputs[0]);
    },
    kNumeric};

const RegisterGpuKernel<MaxPool2DGather> gather{
    [](const MaxPool2DGather& op, const KernelCall& call) {
      const View& values = call.inputs[0];
      const Windows windows = pool2d_windows(op.kName, *values.spec, op);
      Pooling("max_pool2d_gather", Each::kWindow, windows)
          .run(call, values, call.inputs[1], call.outputs[0]);
    },
    kNumeric};

const RegisterGpuKernel<MaxPool2DGradient> max_gradient{
    [](const MaxPool2DGradient& op, const KernelCall& call) {
      const View& input = call.inputs[0];
      const Windows windows = pool2d_windows(op.kName, *input.spec, op);
      Pooling("max_pool2d_gradient", Each::kPixel, windows)
          .run(call, input, call.inputs[1], call.inputs[2], call.outputs[0]);
    },
    kNumeric};

const RegisterGpuKernel<MaxPool2DScatter> scatter{
    [](const MaxPool2DScatter& op, const KernelCall& call) {
      const View& result = call.outputs[0];
      scatter_winners(call, pool2d_windows(op.kName, *result.spec, op), call.inputs[0],
                      call.inputs[1], result);
    },
    kNumeric};

const RegisterGpuKernel<AvgPool2DGradient> average_gradient{
    [](const AvgPool2DGradient& op, const KernelCall& call) {
      const View& result = call.outputs[0];
      const Windows windows = pool2d_windows(op.kName, *result.spec, op);
      Pooling("avg_pool2d_gradient", Each::kPixel, windows).run(call, call.inputs[0], result);
    },
    kFloating};

}  // namespace

void find_winners(const KernelCall& call, const Windows& windows, const View& input,
                  const View& values, const View* positions) {
  if (positions == nullptr)
    Pooling("max_pool2d", Each::kWindow, windows).run(call, input, values);
  else
    Pooling("max_pool2d_with_positions", Each::kWindow, windows)
        .run(call, input, values, *positions);
}

void scatter_winners(const KernelCall& call, const Windows& windows, const View& values,
                     const View& positions, const View& result) {
  Pooling("max_pool2d_scatter", Each::kPixel, windows).run(call, values, positions, result);
}

}  // namespace alula::cuda
