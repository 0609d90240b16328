#include "alula/backends/cuda/matmul.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/gpu.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/backends/cuda/kernels/product.h"
#include "alula/backends/cuda/layout.h"
#include "alula/core/log.h"
#include "alula/ops/matmul.h"
#include "alula/runtime/devices.h"

namespace alula::cuda {
namespace {

constexpr size_t kWorkspace = 32 << 20;  // what NVIDIA advises for Hopper
constexpr size_t kMostPlans = 4096;
constexpr int kCandidates = 24;

/// Whether it pays to try several algorithms: the first guess is not always the best, and a product
/// that is worth it takes many times as long as a launch.
bool is_large(const Product& product) {
  constexpr double kFlops = 1e9;
  return 2.0 * static_cast<double>(product.batch * product.m) * static_cast<double>(product.n) *
             static_cast<double>(product.k) >=
         kFlops;
}

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return CUDA_R_16F;
    case DType::kBFloat16: return CUDA_R_16BF;
    case DType::kFloat64: return CUDA_R_64F;
    default: return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(const Product& product) {
  if (product.dtype == float64) return CUBLAS_COMPUTE_64F;
  if (product.dtype == float32 && product.tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
  return CUBLAS_COMPUTE_32F;
}

/// A cuBLASLt descriptor, destroyed with its owner.
template <class T, cublasStatus_t (*kDestroy)(T)>
struct Destroy {
  void operator()(T descriptor) const { kDestroy(descriptor); }
};
template <class T, cublasStatus_t (*kDestroy)(T)>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Destroy<T, kDestroy>>;
using Operation = Handle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Matrix = Handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Handle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class T>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t attribute, T value) {
  check(cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value, sizeof(value)),
        "cublasLtMatmulDescSetAttribute");
}
template <class T>
void set(const Matrix& matrix, cublasLtMatrixLayoutAttribute_t attribute, T value) {
  check(cublasLtMatrixLayoutSetAttribute(matrix.get(), attribute, &value, sizeof(value)),
        "cublasLtMatrixLayoutSetAttribute");
}
template <class T>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, T value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

Operation make_operation(const Product& product) {
  cublasLtMatmulDesc_t made = nullptr;
  check(cublasLtMatmulDescCreate(&made, compute_type(product),
                                 product.dtype == float64 ? CUDA_R_64F : CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  Operation operation(made);
  // cuBLAS thinks in columns: our row-major c is its transpose, and that is b^T a^T.
  const auto transposed = [](bool yes) -> int32_t { return yes ? CUBLAS_OP_T : CUBLAS_OP_N; };
  set(operation, CUBLASLT_MATMUL_DESC_TRANSA, transposed(product.transpose_b));
  set(operation, CUBLASLT_MATMUL_DESC_TRANSB, transposed(product.transpose_a));
  if (product.adds_row || product.relu)
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
        static_cast<uint32_t>(!product.relu      ? CUBLASLT_EPILOGUE_BIAS
                              : product.adds_row ? CUBLASLT_EPILOGUE_RELU_BIAS
                                                 : CUBLASLT_EPILOGUE_RELU));
  return operation;
}

/// A row-major matrix, and the one that it is multiplied as: itself, or filled up with zeros.
struct Rows {
  int64_t count, length;
  int64_t all, step;  // rows of the latter, and elements in each

  bool is_filled_up() const { return all != count || step != length; }
};

/// As cuBLAS sees it: its transpose.
Matrix make_matrix(const Product& product, const Rows& rows, int64_t stride) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, data_type(product.dtype), rows.step, rows.all, rows.step),
        "cublasLtMatrixLayoutCreate");
  Matrix matrix(made);
  set(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(product.batch));
  set(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return matrix;
}

/// What tensor cores' loads take at once; rows that begin elsewhere are read piece by piece.
constexpr int64_t kLoadBytes = 16;

Rows rows_of(const Product& product, int64_t count, int64_t length, bool padded) {
  const int64_t unit = padded ? kLoadBytes / static_cast<int64_t>(size_of(product.dtype)) : 1;
  const auto up = [&](int64_t n) { return (n + unit - 1) / unit * unit; };
  return {count, length, up(count), up(length)};
}

/// Whether rows of a matrix begin where loads cannot, and could be copied to where they can.
bool may_be_padded(const Product& product) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (product.batch != 1 ||
      std::max({product.m * product.n, product.m * product.k, product.k * product.n}) >= kMost)
    return false;
  const auto is_odd = [&](int64_t length) {
    return length * static_cast<int64_t>(size_of(product.dtype)) % kLoadBytes != 0;
  };
  return is_odd(product.n) || is_odd(product.transpose_a ? product.m : product.k) ||
         is_odd(product.transpose_b ? product.k : product.n);
}

Preference make_preference(const Product& product, const Rows& a, const Rows& b, const Rows& c) {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
  Preference preference(made);
  // What is copied lies well.
  const auto alignment = [](const Rows& rows, uint32_t own) -> uint32_t {
    return rows.is_filled_up() ? 256 : own;
  };
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{kWorkspace});
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(b, product.alignment_b));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(a, product.alignment_a));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(c, product.alignment_c));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(c, product.alignment_c));
  // Parts of a sum are never added up in 16 bits.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_MASK &
                            ~CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE));
  return preference;
}

}  // namespace

struct MatMuls::Plan {
  Rows a, b, row, c;
  Operation operation;
  Matrix matrix_a, matrix_b, matrix_c;
  cublasLtMatmulAlgo_t algorithm;

  Plan(const Product& product, bool padded)
      : a(product.transpose_a ? rows_of(product, product.k, product.m, padded)
                              : rows_of(product, product.m, product.k, padded)),
        b(product.transpose_b ? rows_of(product, product.n, product.k, padded)
                              : rows_of(product, product.k, product.n, padded)),
        row(rows_of(product, 1, product.adds_row ? product.n : 0, padded)),
        c(rows_of(product, product.m, product.n, padded)),
        operation(make_operation(product)),
        matrix_a(make_matrix(product, a, product.stride_a)),
        matrix_b(make_matrix(product, b, product.stride_b)),
        matrix_c(make_matrix(product, c, product.m * product.n)) {
    row.all = 1;
  }

  /// Bytes of what it is filled up in; 0 if it is read as it is.
  static size_t room(const Rows& rows, DType dtype) {
    return rows.is_filled_up() ? static_cast<size_t>(rows.all * rows.step) * size_of(dtype) : 0;
  }
};

/// Room for matrices that are filled up.
struct MatMuls::Rooms {
  void *a = nullptr, *b = nullptr, *row = nullptr, *c = nullptr;
};

MatMuls::MatMuls() = default;
MatMuls::~MatMuls() = default;

/// Milliseconds; what the operands hold by then does not matter.
double MatMuls::time_of(const Product& product, const Plan& plan, const Operands& operands) {
  constexpr int kRuns = 3;
  auto& memory = current_gpu().memory();
  if (!stopwatch_) stopwatch_.emplace();
  const size_t bytes =
      size_of(product.dtype) * static_cast<size_t>(product.batch * product.m * product.n);
  const size_t sizes[] = {bytes, Plan::room(plan.a, product.dtype),
                          Plan::room(plan.b, product.dtype), Plan::room(plan.row, product.dtype),
                          Plan::room(plan.c, product.dtype)};
  void* blocks[std::size(sizes)] = {};
  for (size_t i = 0; i < std::size(sizes); ++i)
    if (sizes[i] > 0) blocks[i] = memory.allocate(sizes[i]);
  const Operands elsewhere{operands.a, operands.b, operands.row, blocks[0]};
  const Rooms rooms{blocks[1], blocks[2], blocks[3], blocks[4]};
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i)
    least = std::min(least, stopwatch_->time_of([&](cudaStream_t stream) {
      multiply(product, plan, elsewhere, rooms, stream);
    }));
  for (size_t i = 0; i < std::size(sizes); ++i)
    if (sizes[i] > 0) memory.release(blocks[i], sizes[i]);
  return least;
}

namespace {

/// Launches a kernel that moves a matrix to where it is filled up, or back.
template <class... Counts>
void move_rows(const char* kernel, const void* from, void* to, const Rows& rows, int64_t all,
               DType dtype, cudaStream_t stream, Counts... counts) {
  const auto size = static_cast<int64_t>(size_of(dtype));
  const int64_t width = kLoadBytes / size;
  Grid grid = grid_for(all * rows.step / width);
  grid.chains = false;  // what comes next is none of our kernels
  launch(KernelCall{.queue = stream},
         {"copy", fmt::format("{}<{}, {}>", kernel, unit_name(size), width)}, grid, from, to,
         static_cast<int>(rows.count), static_cast<int>(rows.length), counts...,
         Divider(static_cast<uint32_t>(rows.step / width)));
}

}  // namespace

void MatMuls::multiply(const Product& product, const Plan& plan, const Operands& operands,
                       const Rooms& rooms, cudaStream_t stream) {
  const float one = 1, zero = 0;
  const double one64 = 1, zero64 = 0;
  const bool wide = product.dtype == float64;
  const auto filled_up = [&](const Rows& rows, const void* from, void* room) {
    if (room == nullptr) return from;
    move_rows("set_rows_apart", from, room, rows, rows.all, product.dtype, stream,
              static_cast<int>(rows.all));
    return static_cast<const void*>(room);
  };
  const void *a = filled_up(plan.a, operands.a, rooms.a),
             *b = filled_up(plan.b, operands.b, rooms.b);
  void* c = rooms.c == nullptr ? operands.c : rooms.c;
  if (product.adds_row)
    set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
        filled_up(plan.row, operands.row, rooms.row));
  check(
      cublasLtMatmul(handle_, plan.operation.get(), wide ? static_cast<const void*>(&one64) : &one,
                     b, plan.matrix_b.get(), a, plan.matrix_a.get(),
                     wide ? static_cast<const void*>(&zero64) : &zero, c, plan.matrix_c.get(), c,
                     plan.matrix_c.get(), &plan.algorithm, workspace_, kWorkspace, stream),
      "cublasLtMatmul");
  if (c != operands.c)
    move_rows("set_rows_together", c, operands.c, plan.c, plan.c.count, product.dtype, stream);
}

/// The plan with the fastest algorithm, with matrices as they are or filled up, and the time that
/// it takes if several were tried; null if there is none.
std::unique_ptr<MatMuls::Plan> MatMuls::fastest(const Product& product, bool padded,
                                                const Operands& operands, double& milliseconds) {
  auto plan = std::make_unique<Plan>(product, padded);
  if (product.adds_row) set(plan->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.row);
  const Preference preference = make_preference(product, plan->a, plan->b, plan->c);
  std::array<cublasLtMatmulHeuristicResult_t, kCandidates> candidates{};
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, plan->operation.get(), plan->matrix_b.get(), plan->matrix_a.get(),
      plan->matrix_c.get(), plan->matrix_c.get(), preference.get(),
      is_large(product) ? kCandidates : 1, candidates.data(), &found);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
  if (found == 0) return nullptr;
  plan->algorithm = candidates[0].algo;
  if (!is_large(product)) return plan;
  milliseconds = time_of(product, *plan, operands);
  for (int i = 1; i < found; ++i) {
    const cublasLtMatmulAlgo_t before = std::exchange(plan->algorithm, candidates[i].algo);
    // Those that come first are good guesses; another must be clearly better.
    const double time = time_of(product, *plan, operands);
    if (time < 0.97 * milliseconds)
      milliseconds = time;
    else
      plan->algorithm = before;
  }
  return plan;
}

const MatMuls::Plan* MatMuls::plan_of(const Product& product, const Operands& operands) {
  if (const auto found = plans_.find(product); found != plans_.end()) return found->second.get();
  // Memory may be given out that work on the card's stream still reads: right for that stream only.
  if (is_large(product))
    check(cudaStreamSynchronize(current_gpu().stream()), "cudaStreamSynchronize");
  double time = 0, padded_time = 0;
  std::unique_ptr<Plan> plan = fastest(product, false, operands, time);
  if (plan != nullptr && is_large(product) && may_be_padded(product)) {
    std::unique_ptr<Plan> padded = fastest(product, true, operands, padded_time);
    logging::info("GPU: {} [{},{}] by [{},{}] takes {:.1f} us as it is, {:.1f} filled up.",
                  product.dtype, product.m, product.k, product.k, product.n, 1e3 * time,
                  padded == nullptr ? NAN : 1e3 * padded_time);
    if (padded != nullptr && padded_time < 0.97 * time) plan = std::move(padded);
  }
  if (plans_.size() == kMostPlans) plans_.clear();
  return plans_.emplace(product, std::move(plan)).first->second.get();
}

bool MatMuls::run(const Product& product, const Operands& operands, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (handle_ == nullptr) {
    if (workspace_ == nullptr) workspace_ = current_gpu().memory().allocate(kWorkspace);
    check(cublasLtCreate(&handle_), "cublasLtCreate");
  }
  if (Chain* chain = Chain::current(current_gpu())) chain->finish(stream);
  const Plan* plan = plan_of(product, operands);
  if (plan == nullptr) return false;
  const Scratch a(Plan::room(plan->a, product.dtype)), b(Plan::room(plan->b, product.dtype)),
      row(Plan::room(plan->row, product.dtype)), c(Plan::room(plan->c, product.dtype));
  multiply(product, *plan, operands, {a.data(), b.data(), row.data(), c.data()}, stream);
  return true;
}

namespace {

/// The largest power of two, up to 256, that divides an address.
uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<uintptr_t>(address) | 256;
  return static_cast<uint32_t>(bits & -bits);
}

const std::byte* at(const View& view, int64_t element) {
  return view.as<std::byte>() + element * static_cast<int64_t>(size_of(view.dtype()));
}

bool run(const MatMul& op, const KernelCall& call, const ProductEnd& end) {
  const View &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  auto* stream = static_cast<cudaStream_t>(call.queue);
  if (c.size() == 0) return true;
  if (a.size() == 0) {  // a sum of nothing
    current_card().clear(c.data, static_cast<size_t>(c.bytes()), call.queue);
    return true;
  }
  const int ra = a.shape().rank(), rb = b.shape().rank(), rc = c.shape().rank();
  Product product{.dtype = c.dtype(),
                  .transpose_a = op.transpose_a,
                  .transpose_b = op.transpose_b,
                  .tf32 = config::tensor_float_32_execution_enabled(),
                  .m = c.shape()[rc - 2],
                  .n = c.shape()[rc - 1],
                  .k = a.shape()[op.transpose_a ? ra - 2 : ra - 1],
                  .adds_row = end.row != nullptr,
                  .relu = end.relu};
  const Shape batch_a = a.shape().slice(0, ra - 2), batch_b = b.shape().slice(0, rb - 2);
  const Shape* batches[] = {&batch_a, &batch_b};
  const Merged merged = merge_dimensions(c.shape().slice(0, rc - 2), batches);
  const int64_t size_a = product.m * product.k, size_b = product.k * product.n;
  if (!merged.dims.empty()) {
    product.batch = merged.dims[0];
    product.stride_a = merged.strides[0][0] * size_a;
    product.stride_b = merged.strides[1][0] * size_b;
  }
  // Many matrices by one matrix is one tall matrix by it.
  if (product.stride_b == 0 && product.stride_a == size_a && !op.transpose_a) {
    product.m *= std::exchange(product.batch, 1);
    product.stride_a = 0;
  }
  // cuBLASLt takes one batch dimension; the others are counted up here.
  const int64_t step_c = product.batch * product.m * product.n;
  for (int64_t i = 0; i < c.size() / step_c; ++i) {
    int64_t rest = i, matrix_a = 0, matrix_b = 0;
    for (size_t axis = 1; axis < merged.dims.size(); ++axis) {
      matrix_a += rest % merged.dims[axis] * merged.strides[0][axis];
      matrix_b += rest % merged.dims[axis] * merged.strides[1][axis];
      rest /= merged.dims[axis];
    }
    const std::byte *from_a = at(a, matrix_a * size_a), *from_b = at(b, matrix_b * size_b);
    auto* to = const_cast<std::byte*>(at(c, i * step_c));
    product.alignment_a = alignment_of(from_a);
    product.alignment_b = alignment_of(from_b);
    product.alignment_c = alignment_of(to);
    if (!current_gpu().matmuls().run(product, {from_a, from_b, end.row, to}, stream)) return false;
  }
  return true;
}

int64_t multiplications(const MatMul& op, const KernelCall& call) {
  const Shape& a = call.inputs[0].shape();
  return call.outputs[0].size() * a[a.rank() - (op.transpose_a ? 2 : 1)];
}

/// Small products are shared better by our own kernels, in one launch where the library often
/// splits k and makes two; more so if a program comes after them.
constexpr int64_t kWorthLibrary = int64_t{4} << 20, kWorthLibraryBefore = int64_t{16} << 20;

bool run_large(const MatMul& op, const KernelCall& call, const ProductEnd& end) {
  // Its ends are those of products in float32, and of shorter dtypes; it loads rows in pieces.
  const bool ends = end.row != nullptr || end.relu;
  if (ends && (call.outputs[0].dtype() == float64 || call.inputs[0].size() == 0 ||
               !is_aligned(end.row, kLoadBytes)))
    return false;
  return multiplications(op, call) >= kWorthLibraryBefore && run(op, call, end);
}

const RegisterGpuKernel<MatMul> registered{
    [](const MatMul& op, const KernelCall& call) {
      const View& result = call.outputs[0];
      if (is_floating(result.dtype()) && multiplications(op, call) >= kWorthLibrary &&
          run(op, call, {}))
        return;
      multiply(call, op, *result.spec, program_after(nullptr, result.dtype(), {}, call.outputs));
    },
    kNumeric};

const bool library_set = (set_library_product(&run_large), true);

}  // namespace
}  // namespace alula::cuda
