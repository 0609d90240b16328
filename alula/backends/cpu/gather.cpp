#include "alula/backends/cpu/gather.h"

#include <cstring>
#include <string>

#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// Calls `write(i, source)` for every slice i of the result. `sources(row)` gives the function that
/// says which slice of the input the j-th of a row is.
template <class Sources, class Write>
void for_each_slice(const Picks& picks, double nanoseconds, const Sources& sources,
                    const Write& write) {
  team::parallel_for(picks.rows * picks.count, nanoseconds, [&](int64_t begin, int64_t end) {
    for_slices(picks, begin, end, sources, write);
  });
}

/// Copies slices of so many bytes, which may be a constant.
template <class Bytes, class Sources>
void copy_slices(const View& from, const View& to, Bytes bytes, const Picks& picks,
                 const Sources& sources) {
  const auto* a = from.as<std::byte>();
  auto* b = to.as<std::byte>();
  for_each_slice(
      picks, 2 + 0.06 * static_cast<double>(bytes), sources,
      [&](int64_t i, int64_t source) { std::memcpy(b + i * bytes, a + source * bytes, bytes); });
}

template <class Sources>
void write_slices(const View& from, const View& to, const Picks& picks, const Sources& sources) {
  if (from.dtype() == string)
    return for_each_slice(picks, 20, sources, [&](int64_t i, int64_t source) {
      std::copy_n(from.as<std::string>() + source * picks.size, picks.size,
                  to.as<std::string>() + i * picks.size);
    });
  const int64_t bytes = picks.size * static_cast<int64_t>(size_of(from.dtype()));
  with_bytes(bytes, [&](auto each) { copy_slices(from, to, each, picks, sources); });
}

const RegisterKernel<DeviceType::kCPU, Gather> registered_gather{
    [](const Gather& op, const KernelCall& call) {
      const View &params = call.inputs[0], &y = call.outputs[0];
      // An empty result reads nothing; TensorFlow does not look at the indices then either.
      if (y.size() == 0) return;
      const Gathered gathered(op, params, call.inputs[1]);
      write_slices(params, y, gathered.picks, gathered);
    }};

const RegisterKernel<DeviceType::kCPU, GatherNd> registered_gather_nd{
    [](const GatherNd& op, const KernelCall& call) {
      const View &params = call.inputs[0], &indices = call.inputs[1], &y = call.outputs[0];
      if (y.size() == 0) return;
      const auto batch = static_cast<int>(op.batch_dims);
      const int depth = static_cast<int>(indices.shape().back()), rank = params.shape().rank();
      const Shape dims = params.shape().slice(batch, batch + depth);
      const Positions positions(GatherNd::kName, indices, dims);
      const int64_t batches = params.shape().slice(0, batch).size(), slices = dims.size();
      const Picks picks{.rows = batches,
                        .count = positions.count() / batches,
                        .size = params.shape().slice(batch + depth, rank).size()};
      write_slices(params, y, picks, [&](int64_t row) {
        const int64_t first = row * picks.count, base = row * slices;
        return [&positions, first, base](int64_t i) { return base + positions[first + i]; };
      });
    }};

}  // namespace
}  // namespace alula::cpu
