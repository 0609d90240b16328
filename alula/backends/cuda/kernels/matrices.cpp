#include <algorithm>
#include <bit>

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
    constexpr int64_t kMost = int64_t{1} << 31;
    require<UnimplementedError>(rows_of(shape) * (columns_of(shape) + 1) < kMost &&
                                    columns_of(shape) < kMost && count < kMost,
                                "GPU: too many, or too large matrices. Got {}.", shape);
  }
};

/// The most rows or columns of a matrix that a block is fast enough for: of one, which has a single
/// multiprocessor of the card while the CPU has all its cores, and of many. Rotations pass over the
/// whole matrix hundreds of times: only what fits into shared memory is worth it.
struct Most {
  int64_t one, many;
};
constexpr Most kTriangles{.one = 192, .many = 512};    // cholesky, lu, solve, …
constexpr Most kReflections{.one = 160, .many = 256};  // qr
constexpr Most kEigenvalues{.one = 40, .many = 128};
constexpr Most kSingularValues{.one = 160, .many = 160};
constexpr Most kExponential{.one = 128, .many = 256};

template <Most kMost>
bool are_small(SpecRefs inputs) {
  constexpr int64_t kMany = 64;
  const Shape& shape = inputs[0].shape;
  const bool many = batch_of(shape).size() >= kMany;
  return std::max(rows_of(shape), columns_of(shape)) <= (many ? kMost.many : kMost.one);
}

/// What a block needs to work in: the pieces that its kernel takes, see Rooms in device/matrices.
class Rooms {
 public:
  explicit Rooms(DType dtype) : dtype_(dtype) {}

  Rooms& elements(int64_t count) { return add(count * static_cast<int64_t>(size_of(dtype_))); }
  Rooms& numbers(int64_t count) { return add(count * static_cast<int64_t>(sizeof(int32_t))); }
  Rooms& matrix(int64_t rows, int64_t columns) { return elements(rows * (columns | 1)); }
  Rooms& factors(int64_t n) { return matrix(n, n).numbers(n).elements(n).elements(n); }

  DType dtype() const { return dtype_; }
  int64_t bytes() const { return bytes_; }

 private:
  Rooms& add(int64_t bytes) {
    bytes_ += (bytes + 15) / 16 * 16;
    return *this;
  }
  DType dtype_;
  int64_t bytes_ = 0;
};

struct RoomsArgument {
  void* scratch;
  int64_t bytes, taken = 0;
};

/// A block a matrix, of as many threads as have work in a step, or about that.
template <class... Arguments>
void launch_matrices(const KernelCall& call, std::string_view function, const Matrices& matrices,
                     const Rooms& rooms, int64_t threads, const Arguments&... arguments) {
  constexpr size_t kOwnRoom = 2 << 10;  // of shared memory, that kernels declare themselves
  const auto bytes = static_cast<size_t>(rooms.bytes());
  const bool shared = bytes + kOwnRoom <= current_card().most_shared_bytes();
  const Scratch scratch(shared ? 0 : bytes * static_cast<size_t>(matrices.count));
  const auto block = std::bit_ceil(static_cast<unsigned>(std::clamp<int64_t>(threads, 64, 1024)));
  launch(call,
         {"matrices matrices_orthogonal",
          fmt::format("{}<{}, {}>", function, type_name(rooms.dtype()), shared)},
         {.blocks = {static_cast<unsigned>(matrices.count), 1, 1},
          .threads = {block, 1, 1},
          .shared_bytes = shared ? bytes : 0,
          .chains = false},
         RoomsArgument{scratch.data(), rooms.bytes()}, arguments...);
}

/// Steps that update what remains of a square matrix. Every warp looks for the pivot first, so that
/// more of them would only be in one another's way.
template <class... Arguments>
void launch_triangles(const KernelCall& call, std::string_view function, const Matrices& matrices,
                      const Rooms& rooms, const Arguments&... arguments) {
  const int64_t n = matrices.rows;
  launch_matrices(call, function, matrices, rooms, std::min<int64_t>(n * n / 4, 512), arguments...);
}

const RegisterGpuKernel<Cholesky> registered_cholesky{
    [](const Cholesky&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const Matrices matrices(x.shape());
      const int n = matrices.rows;
      launch_triangles(call, "cholesky", matrices, Rooms(x.dtype()).matrix(n, n), x.data, y.data,
                       n);
    },
    kMatrixTypes, &are_small<kTriangles>};

const RegisterGpuKernel<TriangularSolve> registered_triangular_solve{
    [](const TriangularSolve& op, const KernelCall& call) {
      const View &a = call.inputs[0], &b = call.inputs[1], &x = call.outputs[0];
      if (x.size() == 0) return;
      const Matrices matrices(a.shape());
      const int n = matrices.rows, k = Matrices(b.shape()).columns;
      launch_triangles(call, "triangular_solve", matrices,
                       Rooms(a.dtype()).matrix(n, n).matrix(n, k), a.data, b.data, x.data, n, k,
                       static_cast<int>(op.lower), static_cast<int>(op.adjoint));
    },
    kMatrixTypes, &are_small<kTriangles>};

const RegisterGpuKernel<Lu> registered_lu{
    [](const Lu&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0], &p = call.outputs[1];
      if (y.size() == 0) return;
      const Matrices matrices(x.shape());
      const int n = matrices.rows;
      launch_triangles(call, "lu", matrices, Rooms(x.dtype()).factors(n), x.data, y.data, p.data,
                       n);
    },
    kMatrixTypes, &are_small<kTriangles>};

/// `log` is null for the determinant itself.
void run_determinant(const KernelCall& call, void* log) {
  const View &x = call.inputs[0], &result = call.outputs[0];
  if (result.size() == 0) return;
  const Matrices matrices(x.shape());
  const int n = matrices.rows;
  launch_triangles(call, "determinant", matrices, Rooms(x.dtype()).factors(n), x.data, result.data,
                   log, n);
}

const RegisterGpuKernel<Det> registered_det{
    [](const Det&, const KernelCall& call) { run_determinant(call, nullptr); }, kMatrixTypes,
    &are_small<kTriangles>};
const RegisterGpuKernel<Slogdet> registered_slogdet{
    [](const Slogdet&, const KernelCall& call) { run_determinant(call, call.outputs[1].data); },
    kMatrixTypes, &are_small<kTriangles>};

/// `b` is null for the inverse.
void run_solve(const KernelCall& call, const void* b, bool adjoint) {
  const View &a = call.inputs[0], &x = call.outputs[0];
  if (x.size() == 0) return;
  const Matrices matrices(a.shape());
  const int n = matrices.rows, k = Matrices(x.shape()).columns;
  launch_triangles(call, "solve", matrices, Rooms(a.dtype()).factors(n).matrix(n, k), a.data, b,
                   x.data, n, k, static_cast<int>(adjoint));
}

const RegisterGpuKernel<Solve> registered_solve{[](const Solve& op, const KernelCall& call) {
                                                  run_solve(call, call.inputs[1].data, op.adjoint);
                                                },
                                                kMatrixTypes, &are_small<kTriangles>};
const RegisterGpuKernel<Inv> registered_inv{
    [](const Inv& op, const KernelCall& call) { run_solve(call, nullptr, op.adjoint); },
    kMatrixTypes, &are_small<kTriangles>};

const RegisterGpuKernel<Qr> registered_qr{
    [](const Qr&, const KernelCall& call) {
      const View &x = call.inputs[0], &q = call.outputs[0], &r = call.outputs[1];
      if (q.size() == 0 && r.size() == 0) return;
      const Matrices matrices(x.shape());
      const int m = matrices.rows, n = matrices.columns, k = Matrices(q.shape()).columns;
      const Rooms rooms = Rooms(x.dtype()).matrix(m, n).matrix(m, k).elements(3 * std::min(m, n));
      launch_matrices(call, "qr", matrices, rooms, 32 * std::max(n, k), x.data, q.data, r.data, m,
                      n, k);
    },
    kMatrixTypes, &are_small<kReflections>};

const RegisterGpuKernel<Eigh> registered_eigh{
    [](const Eigh& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      if (x.size() == 0) return;
      const Matrices matrices(x.shape());
      const int n = matrices.rows, even = n + n % 2;
      Rooms rooms(x.dtype());
      rooms.matrix(even, even).matrix(op.compute_v ? n : 0, even);
      rooms.elements(even).numbers(even).numbers(n);
      launch_matrices(call, "eigh", matrices, rooms, int64_t{n} * n / 2, x.data,
                      call.outputs[0].data, op.compute_v ? call.outputs[1].data : nullptr, n);
    },
    kMatrixTypes, &are_small<kEigenvalues>};

/// Matrices without elements have no singular values; any vectors at right angles will do.
void put_ones_on_diagonal(const KernelCall& call, const View& view) {
  if (view.size() == 0) return;
  const Matrices matrices(view.shape());
  launch(call, {"matrices", fmt::format("identity<{}>", type_name(view.dtype()))},
         {.blocks = {static_cast<unsigned>(matrices.count), 1, 1}, .chains = false}, view.data,
         matrices.rows, matrices.columns);
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
      const int columns = across == nullptr ? 0 : Matrices(across->shape()).columns;
      const Rooms rooms = Rooms(x.dtype())
                              .matrix(rows, n)
                              .matrix(rows, columns)
                              .elements(n)
                              .elements(3 * n)
                              .numbers(n);
      launch_matrices(call, "svd", matrices, rooms, 16 * n, x.data, call.outputs[0].data,
                      across == nullptr ? nullptr : across->data,
                      along == nullptr ? nullptr : along->data, rows, n, columns,
                      static_cast<int>(wide));
    },
    kMatrixTypes, &are_small<kSingularValues>};

const RegisterGpuKernel<Expm> registered_expm{
    [](const Expm&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (x.size() == 0) return;
      const Matrices matrices(x.shape());
      const int n = matrices.rows;
      Rooms rooms = Rooms(x.dtype()).factors(n);
      for (int i = 0; i < 5; ++i) rooms.matrix(n, n);
      launch_triangles(call, "expm", matrices, rooms, x.data, y.data, n);
    },
    kMatrixTypes, &are_small<kExponential>};

}  // namespace
}  // namespace alula::cuda
