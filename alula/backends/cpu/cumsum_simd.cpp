// Running sums and products: along a row one after the other, along columns many side by side.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/targets.h"
#include "alula/ops/cumsum.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/cumsum_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

struct RunningSum {
  static constexpr int kStart = 0;
  template <class A>
  static A step(A total, A x) {
    return static_cast<A>(total + x);
  }
};
struct RunningProduct {
  static constexpr int kStart = 1;
  template <class A>
  static A step(A total, A x) {
    // As int, a product of 16-bit integers could overflow.
    if constexpr (sizeof(A) == 2)
      return static_cast<A>(uint32_t{total} * x);
    else
      return static_cast<A>(total * x);
  }
};

/// A scan of `width` columns of `rows` elements; neighbours in a column are `stride` apart, which
/// is negative to go backwards.
template <class F, class A, bool kExclusive, class T>
void scan(const T* x, T* out, int64_t rows, int64_t stride, int64_t width) {
  if (width == 1) {
    A total = F::kStart;
    for (int64_t i = 0; i < rows; ++i, x += stride, out += stride) {
      const A next = F::step(total, static_cast<A>(*x));
      *out = static_cast<T>(kExclusive ? total : next);
      total = next;
    }
    return;
  }
  constexpr int64_t kMost = 512;
  A totals[kMost];
  for (int64_t first = 0; first < width; first += kMost) {
    const int64_t count = std::min(kMost, width - first);
    std::fill_n(totals, count, A{F::kStart});
    for (int64_t i = 0; i < rows; ++i) {
      const T* from = x + i * stride + first;
      T* to = out + i * stride + first;
#pragma GCC ivdep
      for (int64_t j = 0; j < count; ++j) {
        const A next = F::step(totals[j], static_cast<A>(from[j]));
        to[j] = static_cast<T>(kExclusive ? totals[j] : next);
        totals[j] = next;
      }
    }
  }
}

/// Each row, or each stretch of columns, is one piece of work.
template <class F, class A, class T>
void scan_all(const CumulativeOptions& options, const KernelCall& call) {
  const AlongAxis shape(call.inputs[0].shape(), options.axis);
  const int64_t width = std::min<int64_t>(shape.inner, 512);
  const int64_t pieces = (shape.inner + width - 1) / width;
  const int64_t last = options.reverse ? (shape.length - 1) * shape.inner : 0;
  const int64_t stride = options.reverse ? -shape.inner : shape.inner;
  const auto run = options.exclusive ? scan<F, A, true, T> : scan<F, A, false, T>;
  team::parallel_for(shape.outer * pieces, 1.0 * static_cast<double>(shape.length * width),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         const int64_t column = i % pieces * width;
                         const int64_t at = i / pieces * shape.length * shape.inner + column + last;
                         run(call.inputs[0].as<const T>() + at, call.outputs[0].as<T>() + at,
                             shape.length, stride, std::min(width, shape.inner - column));
                       }
                     });
}

/// Integers wrap around, which in C++ only unsigned ones may.
DType without_sign(DType dtype) {
  switch (dtype) {
    case DType::kInt8: return uint8;
    case DType::kInt16: return uint16;
    case DType::kInt32: return uint32;
    case DType::kInt64: return uint64;
    default: return dtype;
  }
}

template <class F>
void run(const CumulativeOptions& options, const KernelCall& call) {
  if (call.outputs[0].size() == 0) return;
  with_type(without_sign(call.inputs[0].dtype()), [&]<class T>(Type<T>) {
    // A long sum of float is only accurate in double.
    using A = std::conditional_t<std::is_integral_v<T>, T, double>;
    if constexpr (!std::is_signed_v<T> && !std::is_same_v<T, bool>)
      scan_all<F, A, T>(options, call);
    else if constexpr (std::is_floating_point_v<T>)
      scan_all<F, std::conditional_t<std::is_same_v<F, RunningSum>, double, T>, T>(options, call);
  });
}

void RunCumSum(const CumulativeOptions& options, const KernelCall& call) {
  run<RunningSum>(options, call);
}
void RunCumProd(const CumulativeOptions& options, const KernelCall& call) {
  run<RunningProduct>(options, call);
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {
namespace {

HWY_EXPORT(RunCumSum);
HWY_EXPORT(RunCumProd);

const RegisterKernel<DeviceType::kCPU, CumSum> cumsum{
    [](const CumSum& op, const KernelCall& call) { HWY_DYNAMIC_DISPATCH(RunCumSum)(op, call); }};
const RegisterKernel<DeviceType::kCPU, CumProd> cumprod{
    [](const CumProd& op, const KernelCall& call) { HWY_DYNAMIC_DISPATCH(RunCumProd)(op, call); }};

}  // namespace
}  // namespace alula::cpu
#endif
