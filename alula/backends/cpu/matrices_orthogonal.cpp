#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <unsupported/Eigen/MatrixFunctions>

#include "alula/backends/cpu/matrices_eigen.h"
#include "alula/ops/eigh.h"
#include "alula/ops/expm.h"
#include "alula/ops/qr.h"

namespace alula::cpu {
namespace {

template <class T>
void qr(const Eigen::Map<const Rows<T>>& a, Eigen::Map<Rows<T>> q, Eigen::Map<Rows<T>> r) {
  if (a.size() == 0) {
    q.setIdentity();
    return;
  }
  const Eigen::HouseholderQR<Columns<T>> decomposed(a);
  r = decomposed.matrixQR().topRows(r.rows()).template triangularView<Eigen::Upper>();
  Columns<T> columns = Columns<T>::Identity(q.rows(), q.cols());
  columns.applyOnTheLeft(decomposed.householderQ());
  q = columns;
}

const RegisterKernel<DeviceType::kCPU, Qr> qr_registered{[](const Qr&, const KernelCall& call) {
  const View& x = call.inputs[0];
  const Matrices sizes(x.shape());
  with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
    for_each_matrix(sizes.count, 2 * sizes.flops(), [&](int64_t i) {
      qr<T>(input<T>(x, sizes, i), output<T>(call.outputs[0], i), output<T>(call.outputs[1], i));
    });
  });
}};

const RegisterKernel<DeviceType::kCPU, Eigh> eigh_registered{
    [](const Eigh& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      const Matrices sizes(x.shape());
      if (x.size() == 0) return;
      with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
        using Vector = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;
        for_each_matrix(sizes.count, 4 * sizes.flops(), [&](int64_t i) {
          const Eigen::SelfAdjointEigenSolver<Columns<T>> solver(
              input<T>(x, sizes, i),
              op.compute_v ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
          require(solver.info() == Eigen::Success,
                  "eigh: the decomposition was not successful. Got {}. The input may hold NaN.",
                  *x.spec);
          Vector(call.outputs[0].as<T>() + i * sizes.rows, sizes.rows) = solver.eigenvalues();
          if (op.compute_v) output<T>(call.outputs[1], i) = solver.eigenvectors();
        });
      });
    }};

const RegisterKernel<DeviceType::kCPU, Expm> expm_registered{
    [](const Expm&, const KernelCall& call) {
      const View& x = call.inputs[0];
      const Matrices sizes(x.shape());
      if (x.size() == 0) return;
      with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
        for_each_matrix(sizes.count, 10 * sizes.flops(), [&](int64_t i) {
          const Columns<T> a = input<T>(x, sizes, i);
          output<T>(call.outputs[0], i) = a.exp();
        });
      });
    }};

}  // namespace
}  // namespace alula::cpu
