#pragma once
#include <functional>
#include <string>

#include "alula/core/random.h"
#include "alula/core/tensor.h"

namespace alula::keras {

/// Makes the first value of a weight. From Keras's words ("glorot_uniform", "zeros"), from an
/// object (initializers::TruncatedNormal({.stddev = 0.1})) or from a function of shape and dtype.
class Initializer {
 public:
  using Function = std::function<Tensor(const Shape&, DType)>;

  /// None: the layer's own.
  Initializer() = default;
  Initializer(const char* word) : Initializer(std::string(word)) {}
  Initializer(const std::string& word);
  Initializer(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  template <class F>
    requires std::is_invocable_r_v<Tensor, F, const Shape&, DType>
  Initializer(F function) : Initializer("custom", Function(std::move(function))) {}

  bool given() const { return static_cast<bool>(function_); }
  const std::string& name() const { return name_; }
  Tensor operator()(const Shape& shape, DType dtype = float32) const;

 private:
  std::string name_;
  Function function_;
};

namespace initializers {

struct RandomNormalOptions {
  double mean = 0;
  double stddev = 0.05;
  random::Seed seed = {};
};
struct RandomUniformOptions {
  double minval = -0.05;
  double maxval = 0.05;
  random::Seed seed = {};
};
struct VarianceScalingOptions {
  double scale = 1;
  std::string mode = "fan_in";                    // or "fan_out", "fan_avg"
  std::string distribution = "truncated_normal";  // or "untruncated_normal", "uniform"
  random::Seed seed = {};
};
struct OrthogonalOptions {
  double gain = 1;
  random::Seed seed = {};
};
struct SeedOptions {
  random::Seed seed = {};
};

Initializer Zeros();
Initializer Ones();
/// The same value everywhere.
Initializer Constant(double value = 0);
/// The identity matrix, times `gain`. Rank 2.
Initializer Identity(double gain = 1);
Initializer RandomNormal(const RandomNormalOptions& options = {});
Initializer RandomUniform(const RandomUniformOptions& options = {});
/// Normal, but none further from the mean than two standard deviations.
Initializer TruncatedNormal(const RandomNormalOptions& options = {});
/// Of a spread that suits the number of inputs or outputs of the weight.
Initializer VarianceScaling(const VarianceScalingOptions& options = {});
Initializer GlorotUniform(const SeedOptions& options = {});
Initializer GlorotNormal(const SeedOptions& options = {});
Initializer HeUniform(const SeedOptions& options = {});
Initializer HeNormal(const SeedOptions& options = {});
Initializer LecunUniform(const SeedOptions& options = {});
Initializer LecunNormal(const SeedOptions& options = {});
/// Rows, or columns if those are fewer, that are orthogonal to each other and of length `gain`. All
/// dimensions but the last count as rows.
Initializer Orthogonal(const OrthogonalOptions& options = {});

}  // namespace initializers
}  // namespace alula::keras
