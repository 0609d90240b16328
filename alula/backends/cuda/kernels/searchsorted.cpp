#include "alula/ops/searchsorted.h"

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

const RegisterGpuKernel<SearchSorted> search_registered{
    [](const SearchSorted& op, const KernelCall& call) {
      const View &sorted = call.inputs[0], &values = call.inputs[1], &y = call.outputs[0];
      if (y.size() == 0) return;
      launch(call,
             {"search", fmt::format("search_sorted<{}, {}>", type_name(sorted.dtype()),
                                    type_name(y.dtype()))},
             grid_for(y.size()), sorted.data, values.data, y.data, static_cast<long long>(y.size()),
             static_cast<long long>(sorted.shape().back()),
             static_cast<long long>(values.shape().back()), static_cast<int>(op.right));
    },
    kNumeric};

}  // namespace
}  // namespace alula::cuda
