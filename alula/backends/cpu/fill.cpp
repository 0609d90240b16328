// Tensors made from numbers alone.
#include "alula/ops/fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "alula/backends/cpu/indices.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/range.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// An element's bits, whatever its dtype.
uint64_t bits_of(Number value, DType dtype) {
  uint64_t bits = 0;
  store_element(value, dtype, &bits);
  return bits;
}

template <class T>
void fill_elements(T* to, T value, int64_t count) {
  team::parallel_for(count, 0.04 * sizeof(T),
                     [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, value); });
}

void fill_with(const View& y, uint64_t bits) {
  switch (size_of(y.dtype())) {
    case 1: return fill_elements(y.as<uint8_t>(), static_cast<uint8_t>(bits), y.size());
    case 2: return fill_elements(y.as<uint16_t>(), static_cast<uint16_t>(bits), y.size());
    case 4: return fill_elements(y.as<uint32_t>(), static_cast<uint32_t>(bits), y.size());
    default: return fill_elements(y.as<uint64_t>(), bits, y.size());
  }
}

const RegisterKernel<DeviceType::kCPU, Fill> registered_fill{
    [](const Fill& op, const KernelCall& call) {
      fill_with(call.outputs[0], bits_of(op.value, op.dtype));
    }};

const RegisterKernel<DeviceType::kCPU, ZerosLike> registered_zeros_like{
    [](const ZerosLike&, const KernelCall& call) { fill_with(call.outputs[0], 0); }};

const RegisterKernel<DeviceType::kCPU, OnesLike> registered_ones_like{
    [](const OnesLike&, const KernelCall& call) {
      fill_with(call.outputs[0], bits_of(1, call.outputs[0].dtype()));
    }};

/// Each number from its place, not from the one before, as TensorFlow has it: no error adds up, and
/// threads share the work.
template <class T>
void count_up(const Range& op, T* to, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    T start;
    int64_t delta;
    op.start.store(op.dtype, &start);
    op.delta.store(int64, &delta);
    team::parallel_for(count, 0.3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = static_cast<T>(static_cast<uint64_t>(start) +
                               static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
    });
  } else {
    const double start = op.start.as_double(), delta = op.delta.as_double();
    team::parallel_for(count, 0.5, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = static_cast<T>(start + static_cast<double>(i) * delta);
    });
  }
}

const RegisterKernel<DeviceType::kCPU, Range> registered_range{
    [](const Range& op, const KernelCall& call) {
      const View& y = call.outputs[0];
      with_type(y.dtype(), [&]<class T>(Type<T>) {
        if constexpr (!std::is_same_v<T, bool>) count_up<T>(op, y.as<T>(), y.size());
      });
    }};

const RegisterKernel<DeviceType::kCPU, Linspace> registered_linspace{
    [](const Linspace& op, const KernelCall& call) {
      const View& y = call.outputs[0];
      const int64_t last = op.num - 1;
      const double step = last == 0 ? 0 : (op.stop - op.start) / static_cast<double>(last);
      with_type(y.dtype(), [&]<class T>(Type<T>) {
        if constexpr (!std::is_integral_v<T>) {
          for (int64_t i = 0; i < last; ++i)
            y.as<T>()[i] = static_cast<T>(op.start + static_cast<double>(i) * step);
          y.as<T>()[last] = static_cast<T>(last == 0 ? op.start : op.stop);
        }
      });
    }};

/// The position that an index of OneHot names.
int64_t position_at(const View& indices, int64_t i) {
  switch (indices.dtype()) {
    case DType::kUInt8: return indices.as<uint8_t>()[i];
    case DType::kInt8: return indices.as<int8_t>()[i];
    case DType::kInt32: return indices.as<int32_t>()[i];
    default: return indices.as<int64_t>()[i];
  }
}

const RegisterKernel<DeviceType::kCPU, OneHot> registered_one_hot{
    [](const OneHot& op, const KernelCall& call) {
      const View &indices = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      fill_with(y, bits_of(op.off_value, op.dtype));
      const int rank = indices.shape().rank();
      const int axis = normalize_axis(OneHot::kName, op.axis, rank + 1);
      const int64_t inner = indices.shape().slice(axis, rank).size();
      const uint64_t on = bits_of(op.on_value, op.dtype);
      const size_t width = size_of(op.dtype);
      team::parallel_for(indices.size(), 3, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t position = position_at(indices, i);
          if (position < 0 || position >= op.depth) continue;
          const int64_t at = (i / inner * op.depth + position) * inner + i % inner;
          std::memcpy(y.as<std::byte>() + at * static_cast<int64_t>(width), &on, width);
        }
      });
    }};

}  // namespace
}  // namespace alula::cpu
