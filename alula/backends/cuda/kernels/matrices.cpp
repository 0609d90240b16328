#include <algorithm>

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/ops/cholesky.h"
#include "alula/ops/determinant.h"
#include "alula/ops/eigh.h"
#include "alula/ops/expm.h"
#include "alula/ops/lu.h"
#include "alula/ops/qr.h"
#include "alula/ops/solve.h"
#include "alula/ops/svd.h"
#include "alula/ops/triangular_solve.h"

/// Decompositions of matrices, a block each. A matrix for which there is none (a singular one, or
/// one that is not positive definite) is no error on a GPU: it gives infinities or NaN.
namespace alula::cuda {
namespace {

/// The matrices of a batch.
struct Matrices {
  int64_t count;
  int rows, columns;

  explicit Matrices(const Shape& shape)
      : count(batch_of(shape).size()),
        rows(static_cast<int>(rows_of(shape))),
        columns(static_cast<int>(columns_of(shape))) {
    require<UnimplementedError>(rows_of(shape) < int64_t{1} << 31 &&
                                    columns_of(shape) < int64_t{1} << 31 &&
                                    count < int64_t{1} << 31,
                                "GPU: too many, or too large matrices. Got {}.", shape);
  }
  int64_t size() const { return int64_t{rows} * columns; }

  Grid grid() const {
    constexpr int64_t kSmall = 32 * 32;
    return {.blocks = {static_cast<unsigned>(count), 1, 1},
            .threads = {size() < kSmall ? 64U : 256U, 1, 1},
            .chains = false};
  }
};

/// A block is too little for a large matrix, unless there are many of them.
template <int64_t kMost>
bool are_small(SpecRefs inputs) {
  constexpr int64_t kMany = 64;
  const Shape& shape = inputs[0].shape;
  const bool many = batch_of(shape).size() >= kMany;
  return std::max(rows_of(shape), columns_of(shape)) <= (many ? 4 : 1) * kMost;
}
constexpr Fits kFits = &are_small<256>, kFitsRotations = &are_small<128>;

template <class... Arguments>
void launch_matrices(const KernelCall& call, const Matrices& matrices, const std::string& function,
                     const Arguments&... arguments) {
  launch(call, {"matrices matrices_orthogonal", function}, matrices.grid(), arguments...);
}

std::string typed(std::string_view function, const View& view) {
  return fmt::format("{}<{}>", function, type_name(view.dtype()));
}

/// Room for so many elements of a tensor's dtype for each matrix, or for so many numbers.
class Room {
 public:
  Room(const View& like, const Matrices& matrices, int64_t elements)
      : block_(static_cast<size_t>(matrices.count * elements) * size_of(like.dtype())) {}
  Room(const Matrices& matrices, int64_t numbers)
      : block_(static_cast<size_t>(matrices.count * numbers) * sizeof(int32_t)) {}
  void* data() const { return block_.data(); }

 private:
  Scratch block_;
};

const RegisterGpuKernel<Cholesky> registered_cholesky{
    [](const Cholesky&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const Matrices matrices(x.shape());
      launch_matrices(call, matrices, typed("cholesky", x), x.data, y.data, matrices.rows);
    },
    kMatrixTypes, kFits};

const RegisterGpuKernel<TriangularSolve> registered_triangular_solve{
    [](const TriangularSolve& op, const KernelCall& call) {
      const View &a = call.inputs[0], &b = call.inputs[1], &x = call.outputs[0];
      if (x.size() == 0) return;
      const Matrices matrices(a.shape()), right(b.shape());
      launch_matrices(call, matrices, typed("triangular_solve", a), a.data, b.data, x.data,
                      matrices.rows, right.columns, static_cast<int>(op.lower),
                      static_cast<int>(op.adjoint));
    },
    kMatrixTypes, kFits};

const RegisterGpuKernel<Lu> registered_lu{
    [](const Lu&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0], &p = call.outputs[1];
      if (y.size() == 0) return;
      const Matrices matrices(x.shape());
      launch_matrices(call, matrices, typed("lu", x), x.data, y.data, p.data, matrices.rows);
    },
    kMatrixTypes, kFits};

/// `log` is null for the determinant itself.
void run_determinant(const KernelCall& call, void* log) {
  const View &x = call.inputs[0], &result = call.outputs[0];
  if (result.size() == 0) return;
  const Matrices matrices(x.shape());
  const Room work(x, matrices, matrices.size()), positions(matrices, matrices.rows);
  launch_matrices(call, matrices, typed("determinant", x), x.data, work.data(), positions.data(),
                  result.data, log, matrices.rows);
}

const RegisterGpuKernel<Det> registered_det{
    [](const Det&, const KernelCall& call) { run_determinant(call, nullptr); }, kMatrixTypes,
    kFits};
const RegisterGpuKernel<Slogdet> registered_slogdet{
    [](const Slogdet&, const KernelCall& call) { run_determinant(call, call.outputs[1].data); },
    kMatrixTypes, kFits};

/// `b` is null for the inverse.
void run_solve(const KernelCall& call, const void* b, bool adjoint) {
  const View &a = call.inputs[0], &x = call.outputs[0];
  if (x.size() == 0) return;
  const Matrices matrices(a.shape()), right(x.shape());
  const Room work(a, matrices, matrices.size()), positions(matrices, matrices.rows),
      between(a, matrices, adjoint ? right.size() : 0);
  launch_matrices(call, matrices, fmt::format("solve<{}, {}>", type_name(a.dtype()), adjoint),
                  a.data, b, x.data, work.data(), between.data(), positions.data(), matrices.rows,
                  right.columns);
}

const RegisterGpuKernel<Solve> registered_solve{[](const Solve& op, const KernelCall& call) {
                                                  run_solve(call, call.inputs[1].data, op.adjoint);
                                                },
                                                kMatrixTypes, kFits};
const RegisterGpuKernel<Inv> registered_inv{
    [](const Inv& op, const KernelCall& call) { run_solve(call, nullptr, op.adjoint); },
    kMatrixTypes, kFits};

const RegisterGpuKernel<Qr> registered_qr{
    [](const Qr&, const KernelCall& call) {
      const View &x = call.inputs[0], &q = call.outputs[0], &r = call.outputs[1];
      if (q.size() == 0 && r.size() == 0) return;
      const Matrices matrices(x.shape());
      const Room work(x, matrices, matrices.size()),
          taus(x, matrices, std::min(matrices.rows, matrices.columns));
      launch_matrices(call, matrices, typed("qr", x), x.data, work.data(), taus.data(), q.data,
                      r.data, matrices.rows, matrices.columns, Matrices(q.shape()).columns);
    },
    kMatrixTypes, kFits};

const RegisterGpuKernel<Eigh> registered_eigh{
    [](const Eigh& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      if (x.size() == 0) return;
      const Matrices matrices(x.shape());
      const int n = matrices.rows;
      const Room work(x, matrices, matrices.size()), vectors(x, matrices, matrices.size()),
          turns(x, matrices, n + 1), places(matrices, n);
      launch_matrices(call, matrices, typed("eigh", x), x.data, work.data(), vectors.data(),
                      turns.data(), places.data(), call.outputs[0].data,
                      op.compute_v ? call.outputs[1].data : nullptr, n);
    },
    kMatrixTypes, kFitsRotations};

/// Matrices without elements have no singular values; any vectors at right angles will do.
void put_ones_on_diagonal(const KernelCall& call, const View& view) {
  if (view.size() == 0) return;
  const Matrices matrices(view.shape());
  launch_matrices(call, matrices, typed("identity", view), view.data, matrices.rows,
                  matrices.columns);
}

const RegisterGpuKernel<Svd> registered_svd{
    [](const Svd& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      if (x.size() == 0) {
        for (size_t k = 1; k < call.outputs.size(); ++k)
          put_ones_on_diagonal(call, call.outputs[k]);
        return;
      }
      const Matrices matrices(x.shape());
      const bool wide = matrices.rows < matrices.columns;
      const int n = std::min(matrices.rows, matrices.columns),
                rows = std::max(matrices.rows, matrices.columns);
      const View* across = op.compute_uv ? &call.outputs[wide ? 2 : 1] : nullptr;
      const View* along = op.compute_uv ? &call.outputs[wide ? 1 : 2] : nullptr;
      const Room u(x, matrices, matrices.size()), v(x, matrices, int64_t{n} * n),
          w(x, matrices, matrices.size()), lengths(x, matrices, n), taus(x, matrices, n),
          places(matrices, n);
      launch_matrices(call, matrices, typed("svd", x), x.data, u.data(), v.data(), w.data(),
                      lengths.data(), taus.data(), places.data(), call.outputs[0].data,
                      across == nullptr ? nullptr : across->data,
                      along == nullptr ? nullptr : along->data, rows, n,
                      across == nullptr ? 0 : Matrices(across->shape()).columns,
                      static_cast<int>(wide));
    },
    kMatrixTypes, kFitsRotations};

const RegisterGpuKernel<Expm> registered_expm{
    [](const Expm&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (x.size() == 0) return;
      const Matrices matrices(x.shape());
      const Room work(x, matrices, 7 * matrices.size()), positions(matrices, matrices.rows);
      launch_matrices(call, matrices, typed("expm", x), x.data, y.data, work.data(),
                      positions.data(), matrices.rows);
    },
    kMatrixTypes, kFits};

}  // namespace
}  // namespace alula::cuda
