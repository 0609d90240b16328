#include "alula/backends/cpu/conv2d_correlator.h"

namespace alula::cpu {

void correlate(DType dtype, const Correlation& correlation, const void* input, const void* filter,
               void* output) {
  const auto run = [&]<class S, class T>(Type<S>, Type<T>) {
    Correlator<S, T>(correlation, static_cast<const S*>(filter))
        .run(static_cast<const S*>(input), static_cast<S*>(output));
  };
  switch (dtype) {
    case DType::kFloat16: return run(Type<Half>(), Type<float>());
    case DType::kBFloat16: return run(Type<BFloat16>(), Type<float>());
    case DType::kFloat64: return run(Type<double>(), Type<double>());
    case DType::kInt32: return run(Type<int32_t>(), Type<int32_t>());
    default: return run(Type<float>(), Type<float>());
  }
}

}  // namespace alula::cpu
