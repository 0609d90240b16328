#include "alula/ops/matmul.h"

namespace alula::cpu {
namespace {

template <class T>
void multiply(const MatMul& op, const KernelCall& call) {
  using Sum = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const Shape &a = call.inputs[0].shape(), &b = call.inputs[1].shape();
  const Shape& c = call.outputs[0].shape();
  const int64_t m = c[c.rank() - 2], n = c[c.rank() - 1];
  const int64_t k = a[a.rank() - (op.transpose_a ? 2 : 1)];
  const int64_t step_am = op.transpose_a ? 1 : k, step_ak = op.transpose_a ? m : 1;
  const int64_t step_bk = op.transpose_b ? 1 : n, step_bn = op.transpose_b ? k : 1;
  (void)b;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      Sum sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += static_cast<Sum>(call.inputs[0].as<T>()[i * step_am + l * step_ak]) *
               static_cast<Sum>(call.inputs[1].as<T>()[l * step_bk + j * step_bn]);
      call.outputs[0].as<T>()[i * n + j] = static_cast<T>(sum);
    }
}

const RegisterKernel<DeviceType::kCPU, MatMul> registered{
    [](const MatMul& op, const KernelCall& call) {
      with_type(call.outputs[0].dtype(), [&]<class T>(Type<T>) {
        if constexpr (!std::is_same_v<T, bool>) multiply<T>(op, call);
      });
    }};

}  // namespace
}  // namespace alula::cpu
