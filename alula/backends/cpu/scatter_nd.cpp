#include "alula/ops/scatter_nd.h"

#include <algorithm>
#include <cstring>

#include "alula/backends/cpu/indices.h"
#include "alula/backends/cpu/scratch.h"
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

/// One large piece a thread: memset writes past the caches where that pays.
void clear(const View& y) {
  constexpr double kNanosecondsPerByte = 0.04;
  const int64_t bytes = y.bytes(), pieces = team::size();
  const double nanoseconds = kNanosecondsPerByte * static_cast<double>(bytes / pieces);
  team::parallel_for(pieces, nanoseconds, [&](int64_t first, int64_t last) {
    const int64_t begin = bytes * first / pieces, end = bytes * last / pieces;
    std::memset(y.as<char>() + begin, 0, end - begin);
  });
}

/// The first of the elements of a slice that piece `i` of `pieces` takes: cache lines are whole.
template <class T>
int64_t first_of(int64_t i, int64_t pieces, int64_t slice) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t lines = (slice + kLine - 1) / kLine;
  return std::min(lines * i / pieces * kLine, slice);
}

/// Threads share the elements of a slice, not the slices: two of these may be the same one, and the
/// order of additions stays the one of the updates.
template <class T>
void scatter(const View& y, const View& updates, const Scratch<int64_t>& rows, int64_t count,
             int64_t slice) {
  const auto elements = static_cast<double>(count) * static_cast<double>(slice);
  const int64_t pieces = std::min<int64_t>(team::size(), slice);
  team::parallel_for(pieces, 0.3 * elements / static_cast<double>(pieces),
                     [&](int64_t first, int64_t last) {
                       const int64_t begin = first_of<T>(first, pieces, slice),
                                     end = first_of<T>(last, pieces, slice);
                       for (int64_t row = 0; row < count; ++row)
                         add_row(y.as<T>() + rows[row] * slice + begin,
                                 updates.as<T>() + row * slice + begin, end - begin);
                     });
}

const RegisterKernel<DeviceType::kCPU, ScatterNd> registered{
    [](const ScatterNd& op, const KernelCall& call) {
      const View &indices = call.inputs[0], &updates = call.inputs[1], &y = call.outputs[0];
      const auto depth = static_cast<int>(indices.shape().back());
      const Positions positions(ScatterNd::kName, indices, op.shape.slice(0, depth));
      const int64_t slice = op.shape.slice(depth, op.shape.rank()).size();
      if (slice == 0) return;
      const int64_t count = positions.count();
      const Scratch<int64_t> rows(count);  // found once, however many threads read them
      for (int64_t i = 0; i < count; ++i) rows[i] = positions[i];
      clear(y);
      with_type(y.dtype(), [&]<class T>(Type<T>) { scatter<T>(y, updates, rows, count, slice); });
    }};

}  // namespace
}  // namespace alula::cpu
