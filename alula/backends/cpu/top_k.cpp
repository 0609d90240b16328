#include "alula/ops/top_k.h"

#include <algorithm>
#include <cmath>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/sort_keys.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// The room that finding the first k of n in order takes, in elements.
int64_t room_for(int64_t n, int64_t k) { return std::min(n, 2 * k + 256); }

/// Fills the beginning of `room` with the k largest of a row, in order. Candidates are gathered;
/// when there is no more room for them the k best are kept, and what is worse than all of these is
/// no candidate any more.
template <class T>
void select(const T* x, int64_t n, int64_t k, Ranked<T>* room) {
  const int64_t capacity = room_for(n, k);
  int64_t count = 0;
  Ranked<T> border = ~Ranked<T>{0};
  for (int64_t i = 0; i < n; ++i) {
    const Ranked<T> ranked = to_ranked(x[i], i, true);
    if (ranked >= border) continue;
    if (count == capacity) {
      std::nth_element(room, room + k - 1, room + count);
      border = room[k - 1];
      count = k;
      if (ranked >= border) continue;
    }
    room[count++] = ranked;
  }
  if (count > k) std::nth_element(room, room + k - 1, room + count);
  sort_keys(room, k);
}

template <class T>
void top_k(int64_t k, const View& x, const View& values, const View& indices) {
  const int64_t n = x.shape().back(), rows = x.size() / n;
  team::parallel_for(rows, 2.0 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
    const Scratch<Ranked<T>> room(room_for(n, k));
    for (int64_t i = begin; i < end; ++i) {
      const T* row = x.as<const T>() + i * n;
      select(row, n, k, room.data());
      for (int64_t j = 0; j < k; ++j) {
        const int32_t position = position_of(room.data()[j]);
        indices.as<int32_t>()[i * k + j] = position;
        values.as<T>()[i * k + j] = row[position];
      }
    }
  });
}

const RegisterKernel<DeviceType::kCPU, TopK> top_k_registered{
    [](const TopK& op, const KernelCall& call) {
      if (call.outputs[0].size() == 0) return;
      with_type(call.inputs[0].dtype(), [&]<class T>(Type<T>) {
        if constexpr (!std::is_same_v<T, bool>)
          top_k<T>(op.k, call.inputs[0], call.outputs[0], call.outputs[1]);
      });
    }};

template <class T>
bool is_in_top(const T* row, int64_t classes, int64_t target, int64_t k) {
  using F = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  if (target < 0 || target >= classes) return false;
  const auto wanted = static_cast<F>(row[target]);
  int64_t better = 0, finite = 0;
  for (int64_t i = 0; i < classes; ++i) {
    const auto value = static_cast<F>(row[i]);
    better += value > wanted;
    finite += std::isfinite(value);
  }
  return finite == classes && better < k;
}

const RegisterKernel<DeviceType::kCPU, InTopK> in_top_k_registered{
    [](const InTopK& op, const KernelCall& call) {
      const View &targets = call.inputs[0], &predictions = call.inputs[1];
      const int64_t classes = predictions.shape()[1];
      with_type(predictions.dtype(), [&]<class T>(Type<T>) {
        if constexpr (!std::is_integral_v<T>)
          team::parallel_for(
              targets.size(), static_cast<double>(classes), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t target = targets.dtype() == int32 ? targets.as<const int32_t>()[i]
                                                                  : targets.as<const int64_t>()[i];
                  call.outputs[0].as<bool>()[i] =
                      is_in_top(predictions.as<const T>() + i * classes, classes, target, op.k);
                }
              });
      });
    }};

}  // namespace
}  // namespace alula::cpu
