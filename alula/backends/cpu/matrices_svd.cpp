#include <Eigen/SVD>

#include "alula/backends/cpu/matrices_eigen.h"
#include "alula/ops/svd.h"

namespace alula::cpu {
namespace {

unsigned options_of(const Svd& op) {
  if (!op.compute_uv) return 0;
  return op.full_matrices ? Eigen::ComputeFullU | Eigen::ComputeFullV
                          : Eigen::ComputeThinU | Eigen::ComputeThinV;
}

/// What is computed of a matrix i that has elements, all of them finite.
template <class T>
void decompose(const Svd& op, const Columns<T>& a, const KernelCall& call, int64_t i) {
  const Eigen::BDCSVD<Columns<T>> svd(a, options_of(op));
  const int64_t count = svd.singularValues().size();
  std::copy_n(svd.singularValues().data(), count, call.outputs[0].as<T>() + i * count);
  if (!op.compute_uv) return;
  output<T>(call.outputs[1], i) = svd.matrixU();
  output<T>(call.outputs[2], i) = svd.matrixV();
}

/// One that is empty: any orthogonal columns will do. One that is not finite: NaN.
template <class T>
void fill(const Svd& op, bool empty, const KernelCall& call, int64_t i) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const int64_t count = call.outputs[0].shape().back();
  std::fill_n(call.outputs[0].as<T>() + i * count, count, nan);
  for (size_t k = 1; op.compute_uv && k < 3; ++k) {
    if (empty)
      output<T>(call.outputs[k], i).setIdentity();
    else
      output<T>(call.outputs[k], i).setConstant(nan);
  }
}

const RegisterKernel<DeviceType::kCPU, Svd> registered{[](const Svd& op, const KernelCall& call) {
  const View& x = call.inputs[0];
  const Matrices sizes(x.shape());
  with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
    for_each_matrix(sizes.count, 10 * sizes.flops(), [&](int64_t i) {
      const Columns<T> a =
          Eigen::Map<const Rows<T>>(x.as<const T>() + i * sizes.size(), sizes.rows, sizes.columns);
      if (a.size() == 0 || !a.allFinite())
        fill<T>(op, a.size() == 0, call, i);
      else
        decompose<T>(op, a, call, i);
    });
  });
}};

}  // namespace
}  // namespace alula::cpu
