#include "alula/ops/range.h"

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/fill.h"
#include "alula/ops/one_hot.h"

namespace alula::cuda {
namespace {

void launch_spaced(const KernelCall& call, double start, double step, double last) {
  const View& y = call.outputs[0];
  launch(call, {"range", fmt::format("spaced<{}>", type_name(y.dtype()))}, grid_for(y.size()),
         y.data, static_cast<long long>(y.size()), start, step, last);
}

const RegisterGpuKernel<Range> registered_range{
    [](const Range& op, const KernelCall& call) {
      const View& y = call.outputs[0];
      const int64_t count = y.size();
      if (count == 0) return;
      with_type(y.dtype(), [&]<class T>(Type<T>) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          T start;
          int64_t delta;
          op.start.store(op.dtype, &start);
          op.delta.store(int64, &delta);
          launch(call, {"range", fmt::format("count_up<{}>", type_name(y.dtype()))},
                 grid_for(count), y.data, static_cast<long long>(count), start,
                 static_cast<long long>(delta));
        } else {
          const double start = op.start.as_double(), delta = op.delta.as_double();
          launch_spaced(call, start, delta, start + static_cast<double>(count - 1) * delta);
        }
      });
    },
    kNumeric};

const RegisterGpuKernel<Linspace> registered_linspace{
    [](const Linspace& op, const KernelCall& call) {
      if (op.num == 0) return;
      const int64_t last = op.num - 1;
      const double step = last == 0 ? 0 : (op.stop - op.start) / static_cast<double>(last);
      launch_spaced(call, op.start, step, last == 0 ? op.start : op.stop);
    },
    kFloating};

template <class T>
void one_hot(const OneHot& op, const KernelCall& call, uint64_t on, uint64_t off) {
  const View &indices = call.inputs[0], &y = call.outputs[0];
  const int rank = indices.shape().rank();
  const int axis = normalize_axis(OneHot::kName, op.axis, rank + 1);
  const int64_t inner = indices.shape().slice(axis, rank).size();
  with_index(y.size(), [&]<class Index>(Index) {
    launch(call,
           {"range", fmt::format("one_hot<{}, {}, {}>", unit_name(sizeof(T)),
                                 type_name(indices.dtype()), index_name<Index>())},
           grid_for(y.size()), indices.data, y.data, static_cast<Index>(y.size()),
           DividerOf<Index>(static_cast<Index>(op.depth)),
           DividerOf<Index>(static_cast<Index>(inner)), static_cast<T>(on), static_cast<T>(off));
  });
}

const RegisterGpuKernel<OneHot> registered_one_hot{
    [](const OneHot& op, const KernelCall& call) {
      const View& y = call.outputs[0];
      if (y.size() == 0) return;
      uint64_t on = 0, off = 0;
      store_element(op.on_value, op.dtype, &on);
      store_element(op.off_value, op.dtype, &off);
      switch (size_of(op.dtype)) {
        case 1: return one_hot<uint8_t>(op, call, on, off);
        case 2: return one_hot<uint16_t>(op, call, on, off);
        case 4: return one_hot<uint32_t>(op, call, on, off);
        default: return one_hot<uint64_t>(op, call, on, off);
      }
    },
    OneHot::kDTypes};

}  // namespace
}  // namespace alula::cuda
