#include "alula/ops/scatter_nd.h"

#include <cstring>
#include <vector>

#include "alula/backends/cpu/indices.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

template <class T>
void add_row(T* to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>)
      to[i] = to[i] || from[i];
    else if constexpr (std::is_integral_v<T>)  // integers wrap around
      to[i] = static_cast<T>(static_cast<uint64_t>(to[i]) + static_cast<uint64_t>(from[i]));
    else
      to[i] = static_cast<T>(to[i] + from[i]);
  }
}

/// Threads share the elements of a slice, not the slices: two of these may be the same one, and the
/// order of additions stays the one of the updates.
template <class T>
void scatter(const View& y, const View& updates, const Positions& positions, int64_t slice) {
  const double nanoseconds = 0.3 * static_cast<double>(positions.count());
  team::parallel_for(slice, nanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < positions.count(); ++row)
      add_row(y.as<T>() + positions[row] * slice + begin, updates.as<T>() + row * slice + begin,
              end - begin);
  });
}

const RegisterKernel<DeviceType::kCPU, ScatterNd> registered{
    [](const ScatterNd& op, const KernelCall& call) {
      const View &indices = call.inputs[0], &updates = call.inputs[1], &y = call.outputs[0];
      const auto depth = static_cast<int>(indices.shape().back());
      const Positions positions(ScatterNd::kName, indices, op.shape.slice(0, depth));
      const int64_t slice = op.shape.slice(depth, op.shape.rank()).size();
      if (slice == 0) return;
      if (y.bytes() > 0) std::memset(y.data, 0, y.bytes());
      with_type(y.dtype(), [&]<class T>(Type<T>) { scatter<T>(y, updates, positions, slice); });
    }};

}  // namespace
}  // namespace alula::cpu
