#include "alula/backends/cuda/matmul.h"

#include <algorithm>
#include <array>
#include <limits>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/gpu.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/product.h"
#include "alula/backends/cuda/layout.h"
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
  return operation;
}

/// A row-major [rows, columns] matrix as cuBLAS sees it: its transpose.
Matrix make_matrix(const Product& product, int64_t rows, int64_t columns, int64_t stride) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, data_type(product.dtype), columns, rows, columns),
        "cublasLtMatrixLayoutCreate");
  Matrix matrix(made);
  set(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(product.batch));
  set(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return matrix;
}

Preference make_preference(const Product& product) {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
  Preference preference(made);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{kWorkspace});
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, product.alignment_b);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, product.alignment_a);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product.alignment_c);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product.alignment_c);
  // Parts of a sum are never added up in 16 bits.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_MASK &
                            ~CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE));
  return preference;
}

}  // namespace

struct MatMuls::Plan {
  Operation operation;
  Matrix a, b, c;
  cublasLtMatmulAlgo_t algorithm;
};

MatMuls::MatMuls() = default;
MatMuls::~MatMuls() = default;

/// Milliseconds; what the operands hold by then does not matter.
double MatMuls::time_of(const Product& product, const Plan& plan, const void* a, const void* b) {
  constexpr int kRuns = 3;
  Gpu& gpu = current_gpu();
  const size_t bytes =
      size_of(product.dtype) * static_cast<size_t>(product.batch * product.m * product.n);
  if (!stopwatch_) stopwatch_.emplace();
  void* c = gpu.memory().allocate(bytes);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i)
    least = std::min(least, stopwatch_->time_of([&](cudaStream_t stream) {
      multiply(plan, product.dtype, a, b, c, stream);
    }));
  gpu.memory().release(c, bytes);
  return least;
}

void MatMuls::multiply(const Plan& plan, DType dtype, const void* a, const void* b, void* c,
                       cudaStream_t stream) {
  const float one = 1, zero = 0;
  const double one64 = 1, zero64 = 0;
  const bool wide = dtype == float64;
  check(cublasLtMatmul(
            handle_, plan.operation.get(), wide ? static_cast<const void*>(&one64) : &one, b,
            plan.b.get(), a, plan.a.get(), wide ? static_cast<const void*>(&zero64) : &zero, c,
            plan.c.get(), c, plan.c.get(), &plan.algorithm, workspace_, kWorkspace, stream),
        "cublasLtMatmul");
}

MatMuls::Plan& MatMuls::plan_of(const Product& product, const void* a, const void* b) {
  if (const auto found = plans_.find(product); found != plans_.end()) return *found->second;
  auto plan = std::make_unique<Plan>();
  plan->operation = make_operation(product);
  plan->a = product.transpose_a ? make_matrix(product, product.k, product.m, product.stride_a)
                                : make_matrix(product, product.m, product.k, product.stride_a);
  plan->b = product.transpose_b ? make_matrix(product, product.n, product.k, product.stride_b)
                                : make_matrix(product, product.k, product.n, product.stride_b);
  plan->c = make_matrix(product, product.m, product.n, product.m * product.n);
  const Preference preference = make_preference(product);
  std::array<cublasLtMatmulHeuristicResult_t, kCandidates> candidates{};
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, plan->operation.get(), plan->b.get(), plan->a.get(), plan->c.get(), plan->c.get(),
      preference.get(), is_large(product) ? kCandidates : 1, candidates.data(), &found);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
  require<UnimplementedError>(
      found > 0, "matmul: cuBLAS has no algorithm for {} [{},{}] x [{},{}] on this GPU.",
      product.dtype, product.m, product.k, product.k, product.n);
  plan->algorithm = candidates[0].algo;
  if (found > 1) {
    // Memory may be given out that work on the card's stream still reads: right for that stream
    // only.
    check(cudaStreamSynchronize(current_gpu().stream()), "cudaStreamSynchronize");
    double best = time_of(product, *plan, a, b);
    for (int i = 1; i < found; ++i) {
      const cublasLtMatmulAlgo_t before = std::exchange(plan->algorithm, candidates[i].algo);
      // Those that come first are good guesses; another must be clearly better.
      const double time = time_of(product, *plan, a, b);
      if (time < 0.97 * best)
        best = time;
      else
        plan->algorithm = before;
    }
  }
  if (plans_.size() == kMostPlans) plans_.clear();
  return *plans_.emplace(product, std::move(plan)).first->second;
}

void MatMuls::run(const Product& product, const void* a, const void* b, void* c,
                  cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (handle_ == nullptr) {
    if (workspace_ == nullptr) workspace_ = current_gpu().memory().allocate(kWorkspace);
    check(cublasLtCreate(&handle_), "cublasLtCreate");
  }
  const Plan& plan = plan_of(product, a, b);
  if (Chain* chain = Chain::current(current_gpu())) chain->finish(stream);
  multiply(plan, product.dtype, a, b, c, stream);
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

void run(const MatMul& op, const KernelCall& call) {
  const View &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  auto* stream = static_cast<cudaStream_t>(call.queue);
  if (c.size() == 0) return;
  if (a.size() == 0) {  // a sum of nothing
    current_card().clear(c.data, static_cast<size_t>(c.bytes()), call.queue);
    return;
  }
  const int ra = a.shape().rank(), rb = b.shape().rank(), rc = c.shape().rank();
  Product product{.dtype = c.dtype(),
                  .transpose_a = op.transpose_a,
                  .transpose_b = op.transpose_b,
                  .tf32 = config::tensor_float_32_execution_enabled(),
                  .m = c.shape()[rc - 2],
                  .n = c.shape()[rc - 1],
                  .k = a.shape()[op.transpose_a ? ra - 2 : ra - 1]};
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
    current_gpu().matmuls().run(product, from_a, from_b, to, stream);
  }
}

int64_t multiplications(const MatMul& op, const KernelCall& call) {
  const Shape& a = call.inputs[0].shape();
  return call.outputs[0].size() * a[a.rank() - (op.transpose_a ? 2 : 1)];
}

/// Small products are shared better by our own kernels, in one launch where the library often
/// splits k and makes two; more so if a program comes after them.
constexpr int64_t kWorthLibrary = int64_t{4} << 20, kWorthLibraryBefore = int64_t{16} << 20;

bool run_large(const MatMul& op, const KernelCall& call) {
  if (multiplications(op, call) < kWorthLibraryBefore) return false;
  run(op, call);
  return true;
}

const RegisterGpuKernel<MatMul> registered{
    [](const MatMul& op, const KernelCall& call) {
      const View& result = call.outputs[0];
      if (is_floating(result.dtype()) && multiplications(op, call) >= kWorthLibrary)
        return run(op, call);
      multiply(call, op, *result.spec, program_after(nullptr, result.dtype(), {}, call.outputs));
    },
    kNumeric};

const bool library_set = (set_library_product(&run_large), true);

}  // namespace
}  // namespace alula::cuda
