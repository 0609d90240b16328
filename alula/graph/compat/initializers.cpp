#include "alula/graph/compat/initializers.h"

#include <cmath>

#include "alula/ops/fill.h"
#include "alula/ops/random.h"

namespace alula::compat::v1 {
namespace {

/// The number of inputs that feed an output, plus the other way round.
double sum_of_fans(const Shape& shape) {
  if (shape.rank() == 0) return 2;
  if (shape.rank() == 1) return 2 * static_cast<double>(shape[0]);
  const auto receptive = static_cast<double>(shape.slice(0, shape.rank() - 2).size());
  return receptive * static_cast<double>(shape[shape.rank() - 2] + shape.back());
}

}  // namespace

Initializer zeros_initializer() {
  return Initializer::Function([](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
}

Initializer ones_initializer() {
  return Initializer::Function([](const Shape& shape, DType dtype) { return ones(shape, dtype); });
}

Initializer constant_initializer(Number value) {
  return Initializer::Function(
      [value](const Shape& shape, DType dtype) { return fill(shape, value, dtype); });
}

Initializer random_normal_initializer(const RandomNormalInitializerOptions& options) {
  return Initializer::Function([options](const Shape& shape, DType dtype) {
    return random::normal(
        shape,
        {.mean = options.mean, .stddev = options.stddev, .dtype = dtype, .seed = options.seed});
  });
}

Initializer truncated_normal_initializer(const RandomNormalInitializerOptions& options) {
  return Initializer::Function([options](const Shape& shape, DType dtype) {
    return random::truncated_normal(
        shape,
        {.mean = options.mean, .stddev = options.stddev, .dtype = dtype, .seed = options.seed});
  });
}

Initializer random_uniform_initializer(const RandomUniformInitializerOptions& options) {
  return Initializer::Function([options](const Shape& shape, DType dtype) {
    return random::uniform(
        shape,
        {.minval = options.minval, .maxval = options.maxval, .dtype = dtype, .seed = options.seed});
  });
}

Initializer glorot_uniform_initializer(random::Seed seed) {
  return Initializer::Function([seed](const Shape& shape, DType dtype) {
    const double limit = std::sqrt(6 / std::max(1.0, sum_of_fans(shape)));
    return random::uniform(shape,
                           {.minval = -limit, .maxval = limit, .dtype = dtype, .seed = seed});
  });
}

Initializer glorot_normal_initializer(random::Seed seed) {
  return Initializer::Function([seed](const Shape& shape, DType dtype) {
    // A normal distribution cut off at two standard deviations has 0.8796 of its deviation.
    const double stddev = std::sqrt(2 / std::max(1.0, sum_of_fans(shape))) / 0.87962566103423978;
    return random::truncated_normal(shape, {.stddev = stddev, .dtype = dtype, .seed = seed});
  });
}

}  // namespace alula::compat::v1
