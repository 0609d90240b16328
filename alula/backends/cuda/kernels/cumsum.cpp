#include "alula/ops/cumsum.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/backends/cuda/kernels/scan.h"

namespace alula::cuda {
namespace {

/// Device code's.
struct Scan {
  long long length, inner, chunk;
  int exclusive, reverse;
};

/// What to scan: types as device code calls them.
struct Job {
  std::string_view function, element, total;
  size_t total_bytes;
  int64_t outer, length, inner;
  bool exclusive, reverse;

  bool by_rows() const {
    constexpr int64_t kShort = 16;  // a thread is quicker with such a row than a warp
    return inner == 1 && length > kShort;
  }
  /// How much of the length is one piece of work: all, if that leaves enough of them.
  int64_t chunk() const {
    const int64_t least = by_rows() ? 4096 : 64;
    const int64_t wanted =
        by_rows() ? 4 * current_card().multiprocessors() : 512 * current_card().multiprocessors();
    const int64_t chunks = std::clamp<int64_t>(wanted / std::max<int64_t>(outer * inner, 1), 1,
                                               (length + least - 1) / least);
    return (length + chunks - 1) / chunks;
  }
};

enum class Want : uint8_t { kTotals, kAll };

void launch_scan(const KernelCall& call, const Job& job, Want want, const void* x, void* out,
                 const void* carries, void* totals) {
  const int64_t chunk = job.chunk(), chunks = (job.length + chunk - 1) / chunk;
  const Scan scan{job.length, job.inner, chunk, job.exclusive, job.reverse};
  const std::string arguments =
      fmt::format("<{}, {}, {}, {}>", job.function, job.element, job.total, want == Want::kTotals);
  if (job.by_rows()) {
    const int64_t items = 4, warps = std::clamp<int64_t>(chunk / (32 * items), 1, 8);
    launch(call, {"scan", "scan_rows" + arguments},
           {.blocks = {static_cast<unsigned>(job.outer), static_cast<unsigned>(chunks), 1},
            .threads = {static_cast<unsigned>(32 * warps), 1, 1}},
           x, out, carries, totals, scan);
  } else {
    const long long count = job.outer * chunks * job.inner;
    launch(call, {"scan", "scan_columns" + arguments}, grid_for(count), x, out, carries, totals,
           scan, count, static_cast<long long>(chunks));
  }
}

void run_scan(const KernelCall& call, const Job& job, const void* x, void* out) {
  const int64_t chunk = job.chunk(), chunks = (job.length + chunk - 1) / chunk;
  if (chunks == 1) return launch_scan(call, job, Want::kAll, x, out, nullptr, nullptr);
  const Scratch totals(static_cast<size_t>(job.outer * chunks * job.inner) * job.total_bytes);
  launch_scan(call, job, Want::kTotals, x, nullptr, nullptr, totals.data());
  Job between = job;
  between.element = job.total;
  between.length = chunks;
  between.exclusive = true;
  between.reverse = false;  // chunks are counted in the order of the scan
  const Scratch carries(totals.bytes());
  run_scan(call, between, totals.data(), carries.data());
  launch_scan(call, job, Want::kAll, x, out, carries.data(), nullptr);
}

/// A long sum of float is only accurate in double; integers wrap around, as unsigned ones do.
DType total_of(DType dtype, bool sums) {
  if (is_integer(dtype)) return size_of(dtype) == 8 ? uint64 : uint32;
  return sums || dtype != float32 ? float64 : float32;
}

void run(const CumulativeOptions& options, const KernelCall& call, std::string_view function,
         bool sums) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  if (y.size() == 0) return;
  const AlongAxis shape(x.shape(), options.axis);
  const DType total = total_of(x.dtype(), sums);
  const Job job{.function = function,
                .element = type_name(x.dtype()),
                .total = type_name(total),
                .total_bytes = size_of(total),
                .outer = shape.outer,
                .length = shape.length,
                .inner = shape.inner,
                .exclusive = options.exclusive,
                .reverse = options.reverse};
  run_scan(call, job, x.data, y.data);
}

}  // namespace

void exclusive_sums(const KernelCall& call, const CountRows& counts, void* sums) {
  const Job job{.function = "RunningSum",
                .element = "unsigned int",
                .total = "unsigned int",
                .total_bytes = sizeof(uint32_t),
                .outer = counts.rows,
                .length = counts.length,
                .inner = 1,
                .exclusive = true,
                .reverse = false};
  run_scan(call, job, counts.data, sums);
}

namespace {

const RegisterGpuKernel<CumSum> cumsum{
    [](const CumSum& op, const KernelCall& call) { run(op, call, "RunningSum", true); }, kNumeric};
const RegisterGpuKernel<CumProd> cumprod{
    [](const CumProd& op, const KernelCall& call) { run(op, call, "RunningProduct", false); },
    kNumeric};

}  // namespace
}  // namespace alula::cuda
