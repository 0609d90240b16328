#include "alula/ops/fill.h"

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

template <class T>
void fill_bits(const KernelCall& call, uint64_t bits) {
  const View& y = call.outputs[0];
  launch(call, {"fill", fmt::format("fill<{}>", bits_name(y.dtype()))}, grid_for(y.size()),
         y.as<T>(), static_cast<long long>(y.size()), static_cast<T>(bits));
}

void fill_with(const KernelCall& call, Number value) {
  const View& y = call.outputs[0];
  if (y.size() == 0) return;
  uint64_t bits = 0;
  store_element(value, y.dtype(), &bits);
  switch (size_of(y.dtype())) {
    case 1: return fill_bits<uint8_t>(call, bits);
    case 2: return fill_bits<uint16_t>(call, bits);
    case 4: return fill_bits<uint32_t>(call, bits);
    default: return fill_bits<uint64_t>(call, bits);
  }
}

const RegisterGpuKernel<Fill> registered_fill{
    [](const Fill& op, const KernelCall& call) { fill_with(call, op.value); }, kNumericOrBool};

const RegisterGpuKernel<ZerosLike> registered_zeros_like{
    [](const ZerosLike&, const KernelCall& call) {
      const View& y = call.outputs[0];
      if (y.size() > 0) current_card().clear(y.data, static_cast<size_t>(y.bytes()), call.queue);
    },
    kNumericOrBool};

const RegisterGpuKernel<OnesLike> registered_ones_like{
    [](const OnesLike&, const KernelCall& call) { fill_with(call, 1); }, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
