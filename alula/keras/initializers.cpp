#include "alula/keras/initializers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "alula/keras/words.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/mul.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/random.h"

namespace alula::keras {
namespace {

struct Fans {
  double in = 1;
  double out = 1;
};

/// The number of inputs that feed an output, and the other way round.
Fans fans_of(const Shape& shape) {
  if (shape.rank() == 0) return {};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  const auto receptive = static_cast<double>(shape.slice(0, shape.rank() - 2).size());
  return {receptive * static_cast<double>(shape[shape.rank() - 2]),
          receptive * static_cast<double>(shape.back())};
}

double fan_of(const Shape& shape, const std::string& mode) {
  const Fans fans = fans_of(shape);
  if (mode == "fan_in") return fans.in;
  if (mode == "fan_out") return fans.out;
  return (fans.in + fans.out) / 2;
}

/// With a seed, an initializer gives the same numbers at every call, as in Keras: they depend on
/// nothing else. (Ops with a seed go on in a sequence.)
template <class RandomOp>
Tensor drawn(RandomOp op, const Spec& output, random::Seed seed) {
  op.output = output;
  op.stream = {.key = seed.value()};
  output.shape.checked_size(RandomOp::kName, size_of(output.dtype));
  return call(op);
}

Tensor uniform(const Shape& shape, const random::UniformOptions& options) {
  if (!options.seed.given()) return random::uniform(shape, options);
  alula::RandomUniform op;
  op.minval = options.minval;
  op.maxval = options.maxval;
  return drawn(op, {options.dtype, shape}, options.seed);
}

template <class RandomOp>
Tensor seeded_normal(const Shape& shape, const random::NormalOptions& options) {
  RandomOp op;
  op.mean = options.mean;
  op.stddev = options.stddev;
  return drawn(op, {options.dtype, shape}, options.seed);
}

Tensor normal(const Shape& shape, const random::NormalOptions& options) {
  return options.seed.given() ? seeded_normal<alula::RandomNormal>(shape, options)
                              : random::normal(shape, options);
}

Tensor truncated_normal(const Shape& shape, const random::NormalOptions& options) {
  return options.seed.given() ? seeded_normal<alula::RandomTruncatedNormal>(shape, options)
                              : random::truncated_normal(shape, options);
}

constexpr Word<Initializer (*)()> kWords[] = {
    {"constant", [] { return initializers::Constant(); }},
    {"glorot_normal", [] { return initializers::GlorotNormal(); }},
    {"glorot_uniform", [] { return initializers::GlorotUniform(); }},
    {"he_normal", [] { return initializers::HeNormal(); }},
    {"he_uniform", [] { return initializers::HeUniform(); }},
    {"identity", [] { return initializers::Identity(); }},
    {"identity_initializer", [] { return initializers::Identity(); }},
    {"lecun_normal", [] { return initializers::LecunNormal(); }},
    {"lecun_uniform", [] { return initializers::LecunUniform(); }},
    {"normal", [] { return initializers::RandomNormal(); }},
    {"one", &initializers::Ones},
    {"ones", &initializers::Ones},
    {"orthogonal", [] { return initializers::Orthogonal(); }},
    {"orthogonal_initializer", [] { return initializers::Orthogonal(); }},
    {"random_normal", [] { return initializers::RandomNormal(); }},
    {"random_uniform", [] { return initializers::RandomUniform(); }},
    {"truncated_normal", [] { return initializers::TruncatedNormal(); }},
    {"uniform", [] { return initializers::RandomUniform(); }},
    {"variance_scaling", [] { return initializers::VarianceScaling(); }},
    {"zero", &initializers::Zeros},
    {"zeros", &initializers::Zeros},
};

}  // namespace

Initializer::Initializer(const std::string& word) {
  // A class's name, "GlorotUniform", is its word in other letters.
  const bool is_class = !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0;
  *this = look_up("initializer", is_class ? snake_case(word) : word, kWords)();
}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  require(given(), "initializer: none was given.");
  Tensor value = function_(shape, dtype);
  require(value.spec() == Spec{dtype, shape}, "initializer: '{}' must give {}. Got {}.", name_,
          Spec{dtype, shape}, value.spec());
  return value;
}

namespace initializers {

Initializer Zeros() {
  return {"zeros", [](const Shape& shape, DType dtype) { return alula::zeros(shape, dtype); }};
}

Initializer Ones() {
  return {"ones", [](const Shape& shape, DType dtype) { return alula::ones(shape, dtype); }};
}

Initializer Constant(double value) {
  return {"constant",
          [value](const Shape& shape, DType dtype) { return fill(shape, value, dtype); }};
}

Initializer Identity(double gain) {
  return {"identity", [gain](const Shape& shape, DType dtype) {
            require(shape.rank() == 2, "initializer: 'identity' makes matrices. Got the shape {}.",
                    shape);
            return mul(eye(shape[0], {.num_columns = shape[1], .dtype = dtype}), gain);
          }};
}

Initializer RandomNormal(const RandomNormalOptions& options) {
  return {"random_normal", [options](const Shape& shape, DType dtype) {
            return normal(shape, {options.mean, options.stddev, dtype, options.seed});
          }};
}

Initializer RandomUniform(const RandomUniformOptions& options) {
  return {"random_uniform", [options](const Shape& shape, DType dtype) {
            return uniform(shape, {options.minval, options.maxval, dtype, options.seed});
          }};
}

Initializer TruncatedNormal(const RandomNormalOptions& options) {
  return {"truncated_normal", [options](const Shape& shape, DType dtype) {
            return truncated_normal(shape, {options.mean, options.stddev, dtype, options.seed});
          }};
}

Initializer VarianceScaling(const VarianceScalingOptions& options) {
  require(options.scale > 0, "VarianceScaling: the scale must be positive. Got {}.", options.scale);
  require(options.mode == "fan_in" || options.mode == "fan_out" || options.mode == "fan_avg",
          "VarianceScaling: the mode is fan_in, fan_out or fan_avg. Got {}.", options.mode);
  const std::string& kind = options.distribution;
  require(kind == "uniform" || kind == "truncated_normal" || kind == "normal" ||
              kind == "untruncated_normal",
          "VarianceScaling: the distribution is uniform, truncated_normal or untruncated_normal. "
          "Got {}.",
          kind);
  return {"variance_scaling", [options](const Shape& shape, DType dtype) {
            const double variance = options.scale / std::max(1.0, fan_of(shape, options.mode));
            if (options.distribution == "uniform") {
              const double limit = std::sqrt(3 * variance);
              return uniform(shape, {-limit, limit, dtype, options.seed});
            }
            if (options.distribution == "untruncated_normal")
              return normal(shape, {0, std::sqrt(variance), dtype, options.seed});
            // What is cut off at two standard deviations would make the spread smaller.
            constexpr double kCut = 0.87962566103423978;
            return truncated_normal(shape, {0, std::sqrt(variance) / kCut, dtype, options.seed});
          }};
}

namespace {

Initializer scaled(const char* name, double scale, const char* mode, const char* distribution,
                   random::Seed seed) {
  const Initializer made =
      VarianceScaling({.scale = scale, .mode = mode, .distribution = distribution, .seed = seed});
  return {name, [made](const Shape& shape, DType dtype) { return made(shape, dtype); }};
}

}  // namespace

Initializer GlorotUniform(const SeedOptions& options) {
  return scaled("glorot_uniform", 1, "fan_avg", "uniform", options.seed);
}
Initializer GlorotNormal(const SeedOptions& options) {
  return scaled("glorot_normal", 1, "fan_avg", "truncated_normal", options.seed);
}
Initializer HeUniform(const SeedOptions& options) {
  return scaled("he_uniform", 2, "fan_in", "uniform", options.seed);
}
Initializer HeNormal(const SeedOptions& options) {
  return scaled("he_normal", 2, "fan_in", "truncated_normal", options.seed);
}
Initializer LecunUniform(const SeedOptions& options) {
  return scaled("lecun_uniform", 1, "fan_in", "uniform", options.seed);
}
Initializer LecunNormal(const SeedOptions& options) {
  return scaled("lecun_normal", 1, "fan_in", "truncated_normal", options.seed);
}

namespace {

double dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Makes the vectors, `count` of length n, orthogonal to each other and of length 1, each by what
/// is left when the parts along those before it are taken away: twice, because of rounding.
void orthogonalize(std::vector<double>& vectors, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; ++i) {
    double* vector = vectors.data() + i * n;
    for (int round = 0; round < 2; ++round)
      for (int64_t k = 0; k < i; ++k) {
        const double* other = vectors.data() + k * n;
        const double along = dot(vector, other, n);
        for (int64_t j = 0; j < n; ++j) vector[j] -= along * other[j];
      }
    const double length = std::sqrt(dot(vector, vector, n));
    for (int64_t j = 0; j < n; ++j) vector[j] /= length;
  }
}

/// A matrix [rows, columns] whose rows, or columns if those are fewer, are orthogonal.
std::vector<double> orthogonal_matrix(int64_t rows, int64_t columns, random::Seed seed) {
  const int64_t count = std::min(rows, columns), n = std::max(rows, columns);
  std::vector<double> vectors =
      normal({count, n}, {.dtype = float64, .seed = seed}).to_vector<double>();
  orthogonalize(vectors, count, n);
  if (rows <= columns) return vectors;
  std::vector<double> turned(vectors.size());
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < n; ++j) turned[j * count + i] = vectors[i * n + j];
  return turned;
}

}  // namespace

/// Keeping the signs that the method of Gram and Schmidt gives makes every orthogonal matrix
/// equally likely.
Initializer Orthogonal(const OrthogonalOptions& options) {
  return {"orthogonal", [options](const Shape& shape, DType dtype) {
            require(shape.rank() >= 2,
                    "initializer: 'orthogonal' makes tensors of at least 2 dimensions. Got the "
                    "shape {}.",
                    shape);
            const int64_t rows = shape.slice(0, shape.rank() - 1).size();
            const std::vector<double> values = orthogonal_matrix(rows, shape.back(), options.seed);
            return cast(mul(Tensor(values, shape), options.gain), dtype);
          }};
}

}  // namespace initializers
}  // namespace alula::keras
