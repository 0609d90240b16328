#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "alula/backends/cpu/matrices_eigen.h"
#include "alula/ops/cholesky.h"
#include "alula/ops/determinant.h"
#include "alula/ops/lu.h"
#include "alula/ops/solve.h"
#include "alula/ops/triangular_solve.h"

namespace alula::cpu {
namespace {

/// A matrix with a pivot of 0, or of NaN, cannot be solved with.
template <class T>
void require_invertible(const char* who, const Eigen::PartialPivLU<Rows<T>>& lu, const View& view,
                        int64_t i) {
  const T least = lu.matrixLU().rows() == 0 ? T{1} : lu.matrixLU().diagonal().cwiseAbs().minCoeff();
  const bool invertible = least > 0 && !lu.matrixLU().diagonal().hasNaN();
  require(invertible, "{}: the input matrix is not invertible. Got {}, of which matrix {} is.", who,
          *view.spec, i);
}

const RegisterKernel<DeviceType::kCPU, Cholesky> cholesky_registered{
    [](const Cholesky&, const KernelCall& call) {
      const View& x = call.inputs[0];
      const Matrices sizes(x.shape());
      with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
        for_each_matrix(sizes.count, sizes.flops() / 6, [&](int64_t i) {
          const Eigen::LLT<Rows<T>> llt(input<T>(x, sizes, i));
          require(llt.info() == Eigen::Success,
                  "cholesky: the decomposition was not successful: the input matrix is not "
                  "positive definite. Got {}, of which matrix {} is not.",
                  *x.spec, i);
          output<T>(call.outputs[0], sizes, i) = llt.matrixL();
        });
      });
    }};

template <class T>
void triangular_solve(const TriangularSolve& op, const Eigen::Map<const Rows<T>>& a,
                      const Eigen::Map<Rows<T>>& x) {
  if (op.lower && op.adjoint)
    a.transpose().template triangularView<Eigen::Upper>().solveInPlace(x);
  else if (op.lower)
    a.template triangularView<Eigen::Lower>().solveInPlace(x);
  else if (op.adjoint)
    a.transpose().template triangularView<Eigen::Lower>().solveInPlace(x);
  else
    a.template triangularView<Eigen::Upper>().solveInPlace(x);
}

const RegisterKernel<DeviceType::kCPU, TriangularSolve> triangular_solve_registered{
    [](const TriangularSolve& op, const KernelCall& call) {
      const View &a = call.inputs[0], &b = call.inputs[1];
      const Matrices sizes(a.shape()), right(b.shape());
      if (b.size() == 0) return;
      const double flops = static_cast<double>(right.size()) * static_cast<double>(sizes.rows);
      with_matrix_type(a.dtype(), [&]<class T>(Type<T>) {
        for_each_matrix(sizes.count, flops, [&](int64_t i) {
          auto x = output<T>(call.outputs[0], right, i);
          x = input<T>(b, right, i);
          triangular_solve<T>(op, input<T>(a, sizes, i), x);
        });
      });
    }};

const RegisterKernel<DeviceType::kCPU, Solve> solve_registered{
    [](const Solve& op, const KernelCall& call) {
      const View &a = call.inputs[0], &b = call.inputs[1];
      const Matrices sizes(a.shape()), right(b.shape());
      if (a.size() == 0) return;
      const double flops =
          sizes.flops() + 2.0 * static_cast<double>(right.size()) * static_cast<double>(sizes.rows);
      with_matrix_type(a.dtype(), [&]<class T>(Type<T>) {
        for_each_matrix(sizes.count, flops, [&](int64_t i) {
          const Eigen::PartialPivLU<Rows<T>> lu(input<T>(a, sizes, i));
          require_invertible("solve", lu, a, i);
          if (right.size() == 0) return;
          if (op.adjoint)
            output<T>(call.outputs[0], right, i) = lu.transpose().solve(input<T>(b, right, i));
          else
            output<T>(call.outputs[0], right, i) = lu.solve(input<T>(b, right, i));
        });
      });
    }};

const RegisterKernel<DeviceType::kCPU, Inv> inv_registered{
    [](const Inv& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      const Matrices sizes(x.shape());
      if (x.size() == 0) return;
      with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
        for_each_matrix(sizes.count, sizes.flops(), [&](int64_t i) {
          const Eigen::PartialPivLU<Rows<T>> lu(input<T>(x, sizes, i));
          require_invertible("inv", lu, x, i);
          if (op.adjoint)
            output<T>(call.outputs[0], sizes, i) = lu.inverse().transpose();
          else
            output<T>(call.outputs[0], sizes, i) = lu.inverse();
        });
      });
    }};

const RegisterKernel<DeviceType::kCPU, Lu> lu_registered{[](const Lu&, const KernelCall& call) {
  const View& x = call.inputs[0];
  const Matrices sizes(x.shape());
  if (x.size() == 0) return;
  with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
    for_each_matrix(sizes.count, sizes.flops() / 3, [&](int64_t i) {
      const Eigen::PartialPivLU<Rows<T>> lu(input<T>(x, sizes, i));
      require_invertible("lu", lu, x, i);
      output<T>(call.outputs[0], sizes, i) = lu.matrixLU();
      auto* p = call.outputs[1].as<int32_t>() + i * sizes.rows;
      // Eigen says where each row goes, TensorFlow where it comes from.
      for (int64_t row = 0; row < sizes.rows; ++row)
        p[lu.permutationP().indices()[row]] = static_cast<int32_t>(row);
    });
  });
}};

const RegisterKernel<DeviceType::kCPU, Det> det_registered{[](const Det&, const KernelCall& call) {
  const View& x = call.inputs[0];
  const Matrices sizes(x.shape());
  with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
    for_each_matrix(sizes.count, sizes.flops() / 3, [&](int64_t i) {
      T& det = call.outputs[0].as<T>()[i];
      det = sizes.rows == 0 ? T{1}
                            : Eigen::PartialPivLU<Rows<T>>(input<T>(x, sizes, i)).determinant();
    });
  });
}};

/// The sign, and the logarithm of the size.
template <class T>
std::pair<T, T> sign_and_log(const Eigen::Map<const Rows<T>>& a) {
  const Eigen::PartialPivLU<Rows<T>> lu(a);
  auto sign = static_cast<T>(lu.permutationP().determinant());
  T log = 0;
  for (const T pivot : lu.matrixLU().diagonal()) {
    if (pivot == 0) return {T{0}, -std::numeric_limits<T>::infinity()};
    if (pivot < 0) sign = -sign;
    log += std::log(std::abs(pivot));
  }
  return {sign, log};
}

const RegisterKernel<DeviceType::kCPU, Slogdet> slogdet_registered{
    [](const Slogdet&, const KernelCall& call) {
      const View& x = call.inputs[0];
      const Matrices sizes(x.shape());
      with_matrix_type(x.dtype(), [&]<class T>(Type<T>) {
        for_each_matrix(sizes.count, sizes.flops() / 3, [&](int64_t i) {
          const auto [sign, log] =
              sizes.rows == 0 ? std::pair(T{1}, T{0}) : sign_and_log<T>(input<T>(x, sizes, i));
          call.outputs[0].as<T>()[i] = sign;
          call.outputs[1].as<T>()[i] = log;
        });
      });
    }};

}  // namespace
}  // namespace alula::cpu
