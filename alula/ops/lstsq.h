#pragma once
#include "alula/ops/matrix_op.h"

namespace alula::linalg {

struct LstsqOptions {
  double l2_regularizer = 0;  // how much the size of x counts
  bool fast = true;  // by the normal equations; else by singular values, without a regularizer
};
/// x for which matrix * x comes nearest to rhs, by the sum of squares; the smallest one where there
/// are several. matrix: [..., m, n], rhs: [..., m, k], result: [..., n, k]. `fast` needs a matrix
/// of full rank, and squares its condition number. float32, float64.
///   lstsq({{1.f, 0.f}, {1.f, 1.f}, {1.f, 2.f}}, {{1.f}, {3.f}, {5.f}})  ->  {{1}, {2}}
Tensor lstsq(const Tensor& matrix, const Tensor& rhs, const LstsqOptions& options = {});

/// A relative bound for singular values; unless set, the usual one for the dtype and the sizes.
class Cutoff {
 public:
  Cutoff() = default;
  Cutoff(double value) : value_(value), given_(true) {}
  bool given() const { return given_; }
  double value() const { return value_; }

 private:
  double value_ = 0;
  bool given_ = false;
};

/// The pseudo-inverses of matrices (Moore, Penrose): [..., m, n] -> [..., n, m]. Singular values
/// not above rcond times the largest count as 0; rcond is 10 * max(m, n) * epsilon unless given.
/// float32, float64.
///   pinv({{2.f, 0.f}, {0.f, 0.f}})  ->  {{0.5, 0}, {0, 0}}
Tensor pinv(const Tensor& a, Cutoff rcond = {});

/// How many singular values are above tol: [..., m, n] -> int32[...]. It is max(m, n) * epsilon *
/// the largest of the matrix unless given. float32, float64.
///   matrix_rank({{1.f, 2.f}, {2.f, 4.f}})  ->  1
Tensor matrix_rank(const Tensor& a, Cutoff tol = {});

}  // namespace alula::linalg
