#include "alula/ops/searchsorted.h"

#include <algorithm>
#include <cmath>

#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

template <class T, class Index>
void search(const SearchSorted& op, const KernelCall& call) {
  const int64_t n = call.inputs[0].shape().back(), m = call.inputs[1].shape().back();
  const T* sorted = call.inputs[0].as<T>();
  const T* values = call.inputs[1].as<T>();
  auto* out = call.outputs[0].as<Index>();
  const double nanoseconds = 2 * std::log2(static_cast<double>(n) + 2);
  team::parallel_for(call.outputs[0].size(), nanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* row = sorted + i / m * n;
      const T* found = op.right ? std::upper_bound(row, row + n, values[i])
                                : std::lower_bound(row, row + n, values[i]);
      out[i] = static_cast<Index>(found - row);
    }
  });
}

const RegisterKernel<DeviceType::kCPU, SearchSorted> registered{
    [](const SearchSorted& op, const KernelCall& call) {
      with_type(call.inputs[0].dtype(), [&]<class T>(Type<T>) {
        op.out_type == int32 ? search<T, int32_t>(op, call) : search<T, int64_t>(op, call);
      });
    }};

}  // namespace
}  // namespace alula::cpu
