#include "alula/backends/cpu/conv2d_filter_correlator.h"

namespace alula::cpu {

void correlate_filter(DType dtype, const Correlation& correlation, const void* input,
                      const void* gradient, void* filter) {
  const auto run = [&]<class S, class T>(Type<S>, Type<T>) {
    const auto* from = static_cast<const S*>(gradient);
    const auto rows = [&](int64_t image, int64_t row, int64_t, S*) {
      return from + image * correlation.output_image + row * correlation.output_row;
    };
    FilterCorrelator<S, T>(correlation)
        .template run<true>(static_cast<const S*>(input), rows, static_cast<S*>(filter));
  };
  switch (dtype) {
    case DType::kFloat16: return run(Type<Half>(), Type<float>());
    case DType::kBFloat16: return run(Type<BFloat16>(), Type<float>());
    case DType::kFloat64: return run(Type<double>(), Type<double>());
    default: return run(Type<float>(), Type<float>());
  }
}

}  // namespace alula::cpu
