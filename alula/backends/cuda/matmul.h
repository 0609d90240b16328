#pragma once
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "alula/backends/cuda/event.h"
#include "alula/core/dtype.h"

namespace alula::cuda {

/// A product of row-major matrices, or of equally spaced batches of them, in all that decides how
/// cuBLASLt computes it: c[m,n] = a[m,k] b[k,n].
struct Product {
  DType dtype = float32;
  bool transpose_a = false, transpose_b = false;  // stored as [k,m], [n,k]
  bool tf32 = false;
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  int64_t stride_a = 0, stride_b = 0;  // elements from one matrix to the next; 0 repeats it
  uint32_t alignment_a = 256, alignment_b = 256, alignment_c = 256;  // bytes
  bool adds_row = false, relu = false;                               // what is done with c
  auto operator<=>(const Product&) const = default;
};

/// The products of one card: cuBLASLt's handle, its workspace, and the algorithm it chose for each.
class MatMuls {
 public:
  /// Where a product's tensors are; `row` is added to each row of c.
  struct Operands {
    const void *a, *b, *row;
    void* c;
  };

  MatMuls();
  ~MatMuls();
  /// False if cuBLASLt has no algorithm for it.
  bool run(const Product& product, const Operands& operands, cudaStream_t stream);

 private:
  struct Plan;
  struct Rooms;
  const Plan* plan_of(const Product& product, const Operands& operands);
  std::unique_ptr<Plan> fastest(const Product& product, bool padded, const Operands& operands,
                                double& milliseconds);
  double time_of(const Product& product, const Plan& plan, const Operands& operands);
  void multiply(const Product& product, const Plan& plan, const Operands& operands,
                const Rooms& rooms, cudaStream_t stream);

  std::mutex mutex_;
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  std::optional<Stopwatch> stopwatch_;
  std::map<Product, std::unique_ptr<Plan>> plans_;
};

}  // namespace alula::cuda
