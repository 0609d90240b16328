#pragma once
#include <functional>

#include "alula/core/random.h"
#include "alula/core/tensor.h"

namespace alula::compat::v1 {

/// How a variable's initial value is made: a function of shape and dtype, or a value.
class Initializer {
 public:
  using Function = std::function<Tensor(const Shape& shape, DType dtype)>;
  Initializer() = default;
  Initializer(Function function) : function_(std::move(function)) {}
  Initializer(const Tensor& value) : value_(value) {}

  bool given() const { return function_ != nullptr || value_.defined(); }
  /// Defined if it is a value, which then also gives the shape and the dtype.
  const Tensor& value() const { return value_; }
  Tensor operator()(const Shape& shape, DType dtype) const { return function_(shape, dtype); }

 private:
  Function function_;
  Tensor value_;
};

struct RandomNormalInitializerOptions {
  double mean = 0;
  double stddev = 1;
  random::Seed seed = {};
};

struct RandomUniformInitializerOptions {
  double minval = 0;
  double maxval = 1;
  random::Seed seed = {};
};

Initializer zeros_initializer();
Initializer ones_initializer();
Initializer constant_initializer(Number value);
Initializer random_normal_initializer(const RandomNormalInitializerOptions& options = {});
Initializer truncated_normal_initializer(const RandomNormalInitializerOptions& options = {});
Initializer random_uniform_initializer(const RandomUniformInitializerOptions& options = {});
/// Uniform within ±sqrt(6 / (fan_in + fan_out)), or truncated normal with a standard deviation of
/// sqrt(2 / (fan_in + fan_out)). The fans are the last two dimensions, times what is before them.
Initializer glorot_uniform_initializer(random::Seed seed = {});
Initializer glorot_normal_initializer(random::Seed seed = {});

}  // namespace alula::compat::v1
