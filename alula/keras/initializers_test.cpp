#include "alula/keras/initializers.h"

#include <cmath>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

struct Statistics {
  double mean = 0, deviation = 0, least = 0, largest = 0;
};

Statistics statistics_of(const Initializer& initializer, const Shape& shape) {
  const Array values = to_array(initializer(shape));
  Statistics result{.least = values.values.at(0), .largest = values.values.at(0)};
  const auto count = static_cast<double>(values.size());
  for (double value : values.values) {
    result.mean += value / count;
    result.least = std::min(result.least, value);
    result.largest = std::max(result.largest, value);
  }
  for (double value : values.values)
    result.deviation += (value - result.mean) * (value - result.mean) / count;
  result.deviation = std::sqrt(result.deviation);
  return result;
}

constexpr double kCut = 0.87962566103423978;  // the spread of a normal cut at two deviations

/// Five standard errors for the mean; the spread to 2%.
void expect_spread(const Initializer& initializer, const Shape& shape, double deviation,
                   double bound) {
  SCOPED_TRACE(initializer.name() + to_string(shape));
  const Statistics found = statistics_of(initializer, shape);
  EXPECT_NEAR(found.mean, 0, 5 * deviation / std::sqrt(static_cast<double>(shape.size())));
  EXPECT_NEAR(found.deviation, deviation, 0.02 * deviation);
  EXPECT_GE(found.least, -bound * 1.000001);
  EXPECT_LE(found.largest, bound * 1.000001);
  EXPECT_GE(found.largest, 0.95 * std::min(bound, 2 * deviation));
}

void expect_uniform(const Initializer& initializer, const Shape& shape, double limit) {
  expect_spread(initializer, shape, limit / std::sqrt(3), limit);
}

void expect_truncated(const Initializer& initializer, const Shape& shape, double deviation) {
  expect_spread(initializer, shape, deviation, 2 * deviation / kCut);
}

}  // namespace

TEST(Initializers, Constants) {
  expect_equal(Initializer("zeros")({2}), {{2}, {0, 0}}, float32);
  expect_equal(Initializer("ones")({2}, int32), {{2}, {1, 1}}, int32);
  expect_equal(initializers::Constant(2.5)({2}, float64), {{2}, {2.5, 2.5}}, float64);
  expect_equal(initializers::Identity(3)({2, 3}), {{2, 3}, {3, 0, 0, 0, 3, 0}}, float32);
  EXPECT_ERROR(Initializer("identity")({2}), InvalidArgumentError, "'identity' makes matrices");
}

TEST(Initializers, PlainRandomOnes) {
  const Shape shape{200, 300};
  expect_spread("random_normal", shape, 0.05, 1);
  expect_uniform("random_uniform", shape, 0.05);
  expect_spread("truncated_normal", shape, 0.05 * kCut, 0.1);  // its spread is not corrected
  const Statistics moved =
      statistics_of(initializers::RandomNormal({.mean = 4, .stddev = 0.5}), shape);
  EXPECT_NEAR(moved.mean, 4, 0.01);
  EXPECT_NEAR(moved.deviation, 0.5, 0.01);
  const Statistics between =
      statistics_of(initializers::RandomUniform({.minval = 1, .maxval = 3}), shape);
  EXPECT_NEAR(between.mean, 2, 0.02);
  EXPECT_GE(between.least, 1);
}

TEST(Initializers, FansOfMatrices) {
  const Shape shape{200, 400};
  expect_uniform("glorot_uniform", shape, std::sqrt(6.0 / 600));
  expect_truncated("glorot_normal", shape, std::sqrt(2.0 / 600));
  expect_uniform("he_uniform", shape, std::sqrt(6.0 / 200));
  expect_truncated("he_normal", shape, std::sqrt(2.0 / 200));
  expect_uniform("lecun_uniform", shape, std::sqrt(3.0 / 200));
  expect_truncated("lecun_normal", shape, std::sqrt(1.0 / 200));
  expect_truncated("variance_scaling", shape, std::sqrt(1.0 / 200));
  expect_spread(initializers::VarianceScaling(
                    {.scale = 4, .mode = "fan_out", .distribution = "untruncated_normal"}),
                shape, std::sqrt(4.0 / 400), 1);
}

/// Rank 1: both fans are n. Rank 3 and 4: all but the last two dimensions are one receptive field.
TEST(Initializers, FansOfOtherRanks) {
  expect_uniform("he_uniform", {50'000}, std::sqrt(6.0 / 50'000));
  expect_uniform("glorot_uniform", {50'000}, std::sqrt(6.0 / 100'000));
  expect_uniform("he_uniform", {7, 40, 200}, std::sqrt(6.0 / 280));
  expect_uniform("glorot_uniform", {3, 5, 40, 100}, std::sqrt(6.0 / (15 * 140)));
  expect_uniform(initializers::VarianceScaling({.mode = "fan_out", .distribution = "uniform"}),
                 {3, 5, 40, 100}, std::sqrt(3.0 / 1500));
  // A scalar's fans are 1, and an empty weight's count as 1.
  EXPECT_LE(std::abs(Initializer("he_uniform")({}).item<float>()), std::sqrt(6.0));
  EXPECT_EQ(to_string(Initializer("he_uniform")({0, 3}).shape()), "[0,3]");
}

TEST(Initializers, Seeds) {
  const auto draw = [](random::Seed seed) {
    random::set_seed(11);
    return initializers::GlorotUniform({.seed = seed})({5, 5}).to_vector<float>();
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
  for (const Initializer& seeded :
       {initializers::HeUniform({.seed = 1}), initializers::HeNormal({.seed = 1}),
        initializers::RandomNormal({.seed = 1}), initializers::Orthogonal({.seed = 1})}) {
    const std::vector<float> first = seeded({5, 5}).to_vector<float>();
    random::set_seed(12);
    EXPECT_EQ(seeded({5, 5}).to_vector<float>(), first);
  }
  EXPECT_EQ(draw({}), draw({}));
  const Initializer one("glorot_uniform");
  EXPECT_NE(one({5, 5}).to_vector<float>(), one({5, 5}).to_vector<float>());
}

TEST(Initializers, Orthogonal) {
  for (const Shape& shape : {Shape{6, 6}, {4, 9}, {9, 4}, {3, 2, 5}, {1, 3}}) {
    SCOPED_TRACE(to_string(shape));
    const Array q = to_array(initializers::Orthogonal({.gain = 2, .seed = 1})(shape, float64));
    const int64_t columns = shape.back(), rows = shape.size() / columns;
    const bool by_rows = rows <= columns;
    const int64_t count = std::min(rows, columns), n = std::max(rows, columns);
    const auto at = [&](int64_t vector, int64_t i) {
      return q.values[by_rows ? vector * columns + i : i * columns + vector];
    };
    for (int64_t a = 0; a < count; ++a)
      for (int64_t b = 0; b < count; ++b) {
        double product = 0;
        for (int64_t i = 0; i < n; ++i) product += at(a, i) * at(b, i);
        EXPECT_NEAR(product, a == b ? 4 : 0, 1e-12);
      }
  }
  EXPECT_EQ(Initializer("orthogonal")({3, 3}).dtype(), float32);
  EXPECT_ERROR(Initializer("orthogonal")({3}), InvalidArgumentError, "at least 2 dimensions");
}

TEST(Initializers, Words) {
  for (const char* word : {"glorot_uniform",
                           "GlorotUniform",
                           "glorot_normal",
                           "GlorotNormal",
                           "he_uniform",
                           "HeUniform",
                           "he_normal",
                           "HeNormal",
                           "lecun_uniform",
                           "LecunUniform",
                           "lecun_normal",
                           "LecunNormal",
                           "zeros",
                           "Zeros",
                           "zero",
                           "ones",
                           "Ones",
                           "one",
                           "constant",
                           "Constant",
                           "identity",
                           "Identity",
                           "IdentityInitializer",
                           "normal",
                           "random_normal",
                           "RandomNormal",
                           "uniform",
                           "random_uniform",
                           "RandomUniform",
                           "truncated_normal",
                           "TruncatedNormal",
                           "variance_scaling",
                           "VarianceScaling",
                           "orthogonal",
                           "Orthogonal",
                           "OrthogonalInitializer"}) {
    SCOPED_TRACE(word);
    EXPECT_TRUE(Initializer(word).given());
    EXPECT_EQ(to_string(Initializer(word)({4, 4}).spec()), "float32[4,4]");
  }
  EXPECT_ERROR(Initializer("glorot"), InvalidArgumentError, "initializer: there is no \"glorot\"");
  EXPECT_ERROR(Initializer("GlorotUnifrom"), InvalidArgumentError,
               "Did you mean \"glorot_uniform\"");
}

TEST(Initializers, TakeFunctions) {
  const Initializer mine(
      [](const Shape& shape, DType dtype) { return initializers::Constant(7)(shape, dtype); });
  expect_equal(mine({2}), {{2}, {7, 7}}, float32);
  const Initializer wrong([](const Shape&, DType) { return Tensor(1.F); });
  EXPECT_ERROR(wrong({2}), InvalidArgumentError,
               "initializer: 'custom' must give float32[2]. Got float32[].");
  EXPECT_ERROR(Initializer()({2}), InvalidArgumentError, "initializer: none was given");
}

TEST(Initializers, SayWhatIsWrong) {
  EXPECT_ERROR(initializers::VarianceScaling({.scale = 0}), InvalidArgumentError,
               "the scale must be positive");
  EXPECT_ERROR(initializers::VarianceScaling({.mode = "fan"}), InvalidArgumentError,
               "the mode is fan_in, fan_out or fan_avg. Got fan.");
  EXPECT_ERROR(initializers::VarianceScaling({.distribution = "gauss"}), InvalidArgumentError,
               "Got gauss.");
}
