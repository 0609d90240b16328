#include "alula/ops/bitwise.h"

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

std::string_view name_of(bitwise::Kind kind) {
  switch (kind) {
    case bitwise::Kind::kAnd: return "And";
    case bitwise::Kind::kOr: return "Or";
    case bitwise::Kind::kXor: return "Xor";
    case bitwise::Kind::kLeftShift: return "LeftShift";
    default: return "RightShift";
  }
}

const RegisterGpuKernel<Bitwise> bitwise_registered{
    [](const Bitwise& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      launch(
          call,
          {"bitwise", fmt::format("combine_bits<{}, {}>", name_of(op.kind), type_name(x.dtype()))},
          grid_for(y.size()), x.data, call.inputs[1].data, y.data,
          static_cast<long long>(y.size()));
    },
    kIntegers};

}  // namespace
}  // namespace alula::cuda
