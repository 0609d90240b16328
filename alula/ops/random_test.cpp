#include "alula/ops/random.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "alula/runtime/team.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

constexpr int64_t kSeed = 20, kOpSeed = 21;
constexpr random::Stream kStream{.key = kSeed, .high = kOpSeed};
constexpr Tolerance kExact{.relative = 1e-300};

/// Sizes around those of the tiles that are made at a time, and one for several threads.
const std::vector<Shape> kShapes = {{},     {0},    {2, 0, 3}, {1},    {7},        {3, 5, 7},
                                    {1023}, {1024}, {1025},    {4099}, {300, 1001}};

uint32_t word(int64_t i) { return kStream.words(i / 4)[i % 4]; }
uint64_t long_word(int64_t i) { return word(2 * i) | uint64_t{word(2 * i + 1)} << 32; }

/// The uniform that element i is made of.
double unit(DType dtype, int64_t i) {
  switch (dtype) {
    case DType::kFloat16: return (word(i) & 0x3ff) / 1024.0;
    case DType::kBFloat16: return (word(i) & 0x7f) / 128.0;
    case DType::kFloat32: return (word(i) & 0x7fffff) * 0x1p-23;
    default:
      return static_cast<double>(uint64_t{word(2 * i) & 0xfffff} << 32 | word(2 * i + 1)) * 0x1p-52;
  }
}

/// Normals and their like are computed in float for 16 bits.
double computed_unit(DType dtype, int64_t i) { return unit(is_half(dtype) ? float32 : dtype, i); }

Array filled(const Shape& shape, const std::function<double(int64_t)>& value) {
  Array array(shape);
  for (int64_t i = 0; i < array.size(); ++i) array.values[i] = value(i);
  return array;
}

/// Draws with fixed seeds on every device, and compares.
void check_draws(const std::function<Tensor(const Shape&)>& draw, DType dtype,
                 const std::function<double(int64_t)>& expected, Tolerance tolerance) {
  for (const Shape& shape : kShapes)
    OpTest::check(
        [&](const std::vector<Tensor>&) {
          random::set_seed(kSeed);
          return draw(shape);
        },
        {}, [&](const std::vector<Array>&) { return filled(shape, expected); }, dtype, tolerance);
}

std::vector<double> values_of(const Tensor& tensor) { return to_array(tensor).values; }

/// Kolmogorov's and Smirnov's distance from a distribution, times sqrt(n): above 1.63 in one of 100
/// cases, above 1.95 in one of 1000.
double distance(std::vector<double> values, const std::function<double(double)>& distribution) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double p = distribution(values[i]);
    largest =
        std::max({largest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return largest * std::sqrt(n);
}

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};

Moments moments(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sums[5] = {};
  for (double value : values)
    for (int k = 2; k <= 4; ++k) sums[k] += std::pow(value - mean, k) / n;
  return {mean, sums[2], sums[3] / std::pow(sums[2], 1.5), sums[4] / (sums[2] * sums[2])};
}

/// The correlation of values with those `lag` places on, times sqrt(n): about normal.
double correlation(const std::vector<double>& values, size_t lag) {
  const auto [mean, variance, skew, kurtosis] = moments(values);
  double sum = 0;
  for (size_t i = 0; i + lag < values.size(); ++i)
    sum += (values[i] - mean) * (values[i + lag] - mean);
  return sum / variance / std::sqrt(static_cast<double>(values.size()));
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }

}  // namespace

OP_TEST(random_uniform) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    check_draws(
        [&](const Shape& shape) {
          return random::uniform(shape, {.dtype = dtype, .seed = kOpSeed});
        },
        dtype, [&](int64_t i) { return unit(dtype, i); }, kExact);
    check_draws(
        [&](const Shape& shape) {
          return random::uniform(shape,
                                 {.minval = -1.5, .maxval = 8.3, .dtype = dtype, .seed = kOpSeed});
        },
        dtype,
        [&](int64_t i) {
          // To the last bit: a product that is rounded, then a sum that is rounded.
          if (dtype == float64) return unit(dtype, i) * (8.3 + 1.5) - 1.5;
          const float scaled = static_cast<float>(unit(dtype, i)) * (8.3f + 1.5f);
          return static_cast<double>(scaled - 1.5f);
        },
        kExact);
  }
  for (DType dtype : {int32, int64}) {
    const auto sample = [&](int64_t i) { return dtype == int32 ? word(i) : long_word(i); };
    check_draws(
        [&](const Shape& shape) {
          return random::uniform(shape,
                                 {.minval = -3, .maxval = 10, .dtype = dtype, .seed = kOpSeed});
        },
        dtype, [&](int64_t i) { return -3 + static_cast<double>(sample(i) % 13); }, kExact);
  }
}

TEST(RandomUniform, TakesTheWholeRangeOfIntegers) {
  random::set_seed(kSeed);
  const auto small =
      random::uniform({10'000},
                      {.minval = INT32_MIN, .maxval = INT32_MAX, .dtype = int32, .seed = kOpSeed})
          .to_vector<int32_t>();
  const auto large =
      random::uniform({10'000},
                      {.minval = INT64_MIN, .maxval = INT64_MAX, .dtype = int64, .seed = kOpSeed})
          .to_vector<int64_t>();
  for (int64_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(small[i], static_cast<int32_t>(word(i) % UINT32_MAX + 0x80000000u));
    EXPECT_EQ(large[i], static_cast<int64_t>(long_word(i) % UINT64_MAX + (uint64_t{1} << 63)));
  }
  EXPECT_EQ(random::uniform({3}, {.minval = 5, .maxval = 6, .dtype = int32}).to_vector<int32_t>(),
            (std::vector<int32_t>{5, 5, 5}));
}

TEST(RandomUniform, IsUniform) {
  random::set_seed(kSeed);
  for (DType dtype : {float32, float64}) {
    const std::vector<double> values = values_of(random::uniform({200'000}, {.dtype = dtype}));
    EXPECT_LT(distance(values, [](double x) { return x; }), 1.63);
    const Moments m = moments(values);
    EXPECT_NEAR(m.mean, 0.5, 0.002);
    EXPECT_NEAR(m.variance, 1.0 / 12, 0.001);
    for (size_t lag : {1, 2, 3, 4, 8, 1024})
      EXPECT_LT(std::abs(correlation(values, lag)), 3.3) << lag;
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
  }
  std::vector<double> counts(100);
  const Tensor dice = random::uniform({200'000}, {.maxval = 100, .dtype = int64});
  for (int64_t value : dice.to_vector<int64_t>()) ++counts[value];
  double chi_squared = 0;  // of 99 degrees of freedom: above 148 in one of 1000 cases
  for (double count : counts) chi_squared += (count - 2000) * (count - 2000) / 2000;
  EXPECT_LT(chi_squared, 148);
  EXPECT_GT(chi_squared, 60);
}

TEST(RandomUniform, SaysWhatIsWrong) {
  EXPECT_ERROR(
      random::uniform({2}, {.dtype = int8}), InvalidArgumentError,
      "random_uniform: makes float16, bfloat16, float32, float64, int32, int64. Got int8.");
  EXPECT_ERROR(
      random::uniform({2}, {.dtype = int32}), InvalidArgumentError,
      "random_uniform: minval and maxval must be values of int32. Got 0 and 1. Set maxval.");
  EXPECT_ERROR(random::uniform({2}, {.maxval = INT64_MAX, .dtype = int32}), InvalidArgumentError,
               "must be values of int32");
  EXPECT_ERROR(random::uniform({2}, {.minval = 3, .maxval = 3, .dtype = int64}),
               InvalidArgumentError,
               "random_uniform: minval must be less than maxval. Got 3 and 3.");
  EXPECT_ERROR(random::uniform({2}, {.minval = 4, .maxval = 3, .dtype = int32}),
               InvalidArgumentError, "minval must be less than maxval");
  EXPECT_ERROR(random::uniform({kUnknown}), InvalidArgumentError,
               "random_uniform: the shape [?] has an unknown dimension.");
  EXPECT_ERROR(random::uniform({int64_t{1} << 40, int64_t{1} << 40}), InvalidArgumentError,
               "random_uniform: a tensor of shape [1099511627776,1099511627776] has too many");
}

OP_TEST(random_normal) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    check_draws(
        [&](const Shape& shape) {
          return random::normal(shape, {.mean = 2, .stddev = 3, .dtype = dtype, .seed = kOpSeed});
        },
        dtype,
        [&](int64_t i) {
          const int64_t pair = i / 2 * 2;
          const double u = std::max(computed_unit(dtype, pair), 1e-7);
          // The angle is rounded to the type that is computed in, which matters near multiples of
          // pi.
          const double v = computed_unit(dtype, pair + 1);
          const double angle = dtype == float64 ? 2 * M_PI * v : 6.2831853f * static_cast<float>(v);
          const double turned = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
          return 2 + 3 * std::sqrt(-2 * std::log(u)) * turned;
        },
        {});
}

TEST(RandomNormal, IsNormal) {
  random::set_seed(kSeed);
  for (DType dtype : {float32, float64}) {
    const std::vector<double> values = values_of(random::normal({200'000}, {.dtype = dtype}));
    EXPECT_LT(distance(values, normal_distribution), 1.63);
    const Moments m = moments(values);
    EXPECT_NEAR(m.mean, 0, 0.008);
    EXPECT_NEAR(m.variance, 1, 0.012);
    EXPECT_NEAR(m.skew, 0, 0.02);
    EXPECT_NEAR(m.kurtosis, 3, 0.04);
    for (size_t lag : {1, 2, 3, 4, 1024}) EXPECT_LT(std::abs(correlation(values, lag)), 3.3) << lag;
  }
}

OP_TEST(random_truncated_normal) {
  const double within_two = std::erf(std::sqrt(2));
  // The z at which the distribution function is p: Newton's method.
  const auto inverse = [](double p) {
    double z = 0;
    for (int step = 0; step < 60; ++step) {
      const double change =
          (std::erf(z / std::sqrt(2)) - p) / std::sqrt(2 / M_PI) * std::exp(z * z / 2);
      z -= std::clamp(change, -0.5, 0.5);
      if (std::abs(change) < 1e-13) break;  // the next would be less than 1e-25
    }
    return z;
  };
  for (DType dtype : {float16, bfloat16, float32, float64})
    check_draws(
        [&](const Shape& shape) {
          return random::truncated_normal(
              shape, {.mean = -1, .stddev = 0.5, .dtype = dtype, .seed = kOpSeed});
        },
        dtype,
        [&](int64_t i) {
          const double half_step = dtype == float64 ? 0x1p-53 : 0x1p-24;
          const double x = 2 * (computed_unit(dtype, i) - 0.5 + half_step);
          return -1 + 0.5 * inverse(x * within_two);
        },
        {});
}

TEST(RandomTruncatedNormal, IsNormalWithinTwoDeviations) {
  random::set_seed(kSeed);
  const double below = normal_distribution(-2);
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    const std::vector<double> values =
        values_of(random::truncated_normal({200'000}, {.dtype = dtype}));
    for (double value : values) ASSERT_LE(std::abs(value), 2);
    if (is_half(dtype)) continue;
    EXPECT_LT(
        distance(values,
                 [&](double x) { return (normal_distribution(x) - below) / (1 - 2 * below); }),
        1.63);
    const Moments m = moments(values);
    EXPECT_NEAR(m.mean, 0, 0.007);
    EXPECT_NEAR(m.variance, 0.7737413, 0.006);
    for (size_t lag : {1, 2, 3, 4, 1024}) EXPECT_LT(std::abs(correlation(values, lag)), 3.3) << lag;
  }
}

TEST(RandomNormal, SaysWhatIsWrong) {
  EXPECT_ERROR(random::normal({2}, {.dtype = int32}), InvalidArgumentError,
               "random_normal: makes float16, bfloat16, float32, float64. Got int32.");
  EXPECT_ERROR(random::normal({2}, {.stddev = -1}), InvalidArgumentError,
               "random_normal: the standard deviation must be finite and not negative. Got -1.");
  EXPECT_ERROR(random::normal({2}, {.stddev = NAN}), InvalidArgumentError,
               "the standard deviation");
  EXPECT_ERROR(random::normal({2}, {.mean = INFINITY}), InvalidArgumentError,
               "random_normal: the mean must be finite. Got inf.");
  EXPECT_ERROR(random::truncated_normal({2}, {.dtype = boolean}), InvalidArgumentError,
               "random_truncated_normal: makes ");
  EXPECT_ERROR(random::truncated_normal({2}, {.stddev = -1}), InvalidArgumentError,
               "random_truncated_normal: the standard deviation");
  EXPECT_ERROR(random::normal({0, kUnknown}), InvalidArgumentError, "unknown dimension");
  EXPECT_EQ(random::normal({3}, {.mean = 2, .stddev = 0}).to_vector<float>(),
            (std::vector<float>{2, 2, 2}));
}

OP_TEST(random_bernoulli) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == string) continue;
    check_draws(
        [&](const Shape& shape) {
          return random::bernoulli(shape, {.probability = 0.3, .dtype = dtype, .seed = kOpSeed});
        },
        dtype, [&](int64_t k) { return word(k) < 0.3 * 0x1p32 ? 1 : 0; }, kExact);
  }
  for (double probability : {0.0, 1.0})
    for (float value : random::bernoulli({5000}, {.probability = probability}).to_vector<float>())
      ASSERT_EQ(value, probability);
  random::set_seed(kSeed);
  EXPECT_NEAR(moments(values_of(random::bernoulli({200'000}, {.probability = 0.1}))).mean, 0.1,
              0.002);
  EXPECT_ERROR(random::bernoulli({2}, {.probability = 1.5}), InvalidArgumentError,
               "random_bernoulli: the probability must be between 0 and 1. Got 1.5.");
  EXPECT_ERROR(random::bernoulli({2}, {.probability = -0.1}), InvalidArgumentError, "Got -0.1.");
  EXPECT_ERROR(random::bernoulli({2}, {.probability = NAN}), InvalidArgumentError, "Got nan.");
  EXPECT_ERROR(random::bernoulli({2}, {.dtype = string}), InvalidArgumentError, "Got string.");
}

OP_TEST(random_shuffle) {
  const auto order = [](int64_t count) {
    std::vector<int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = 0; i < count; ++i) {
      const auto left = static_cast<uint64_t>(count - i);
      std::swap(order[i],
                order[i + static_cast<int64_t>(
                              (static_cast<unsigned __int128>(long_word(i)) * left) >> 64)]);
    }
    return order;
  };
  const Function function = [](const std::vector<Tensor>& in) {
    random::set_seed(kSeed);
    return random::shuffle(in[0], kOpSeed);
  };
  const Reference reference = [&](const std::vector<Array>& in) {
    Array out = in[0];
    if (in[0].size() == 0) return out;
    const int64_t rows = in[0].shape[0], length = in[0].size() / rows;
    const std::vector<int64_t> from = order(rows);
    for (int64_t i = 0; i < in[0].size(); ++i)
      out.values[i] = in[0].values[from[i / length] * length + i % length];
    return out;
  };
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    for (const Shape& shape : {Shape{0}, Shape{4, 0}, Shape{0, 4}, Shape{1}, Shape{2}, Shape{33},
                               Shape{513}, Shape{7, 3}, Shape{1030, 5, 2}, Shape{120'000}})
      OpTest::check(function, {random_tensor({dtype, shape}, {0, 100})}, reference, dtype,
                    {.gradient = false});  // as in TensorFlow, there is none
  }
  EXPECT_EQ(random::shuffle(Tensor(5)).item<int32_t>(), 5);
  EXPECT_ERROR(random::shuffle(Tensor()), InvalidArgumentError,
               "random_shuffle: the input is not defined yet.");
}

TEST(RandomShuffle, GivesEveryOrderItsShare) {
  random::set_seed(kSeed);
  std::map<std::vector<int32_t>, double> counts;
  for (int i = 0; i < 24'000; ++i) ++counts[random::shuffle({1, 2, 3, 4}).to_vector<int32_t>()];
  ASSERT_EQ(counts.size(), 24u);
  double chi_squared = 0;  // of 23 degrees of freedom: above 50 in one of 1000 cases
  for (const auto& [order, count] : counts) chi_squared += (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi_squared, 50);
}

TEST(Random, FollowsTensorFlowsSeeds) {
  const auto draw = [](random::Seed seed = {}) {
    return random::uniform({5}, {.seed = seed}).to_vector<float>();
  };
  random::set_seed(1);
  const auto a1 = draw(), a2 = draw(), b1 = draw(9), b2 = draw(9);
  EXPECT_NE(a1, a2);
  EXPECT_NE(b1, b2);
  EXPECT_NE(a1, b1);
  random::set_seed(1);
  EXPECT_EQ(draw(), a1);
  EXPECT_EQ(draw(9), b1);
  EXPECT_EQ(draw(), a2);
  EXPECT_EQ(draw(9), b2);
  random::set_seed(2);
  EXPECT_NE(draw(), a1);
  EXPECT_NE(draw(9), b1);
  // A call that fails draws nothing.
  random::set_seed(1);
  EXPECT_ERROR(random::uniform({5}, {.dtype = int8}), InvalidArgumentError, "makes");
  EXPECT_EQ(draw(), a1);
  // A long call is what several short ones are.
  random::set_seed(1);
  auto both = random::uniform({16}, {.seed = 9}).to_vector<float>();
  random::set_seed(1);
  const auto front = random::uniform({8}, {.seed = 9}).to_vector<float>();
  const auto back = random::uniform({8}, {.seed = 9}).to_vector<float>();
  EXPECT_EQ(std::vector<float>(both.begin(), both.begin() + 8), front);
  EXPECT_EQ(std::vector<float>(both.begin() + 8, both.end()), back);
}

TEST(Random, DoesNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<std::vector<float>>> drawn;
  for (int threads : {1, 2, 3}) {
    team::set_size(threads);
    random::set_seed(1);
    drawn.push_back({random::uniform({500'001}).to_vector<float>(),
                     random::normal({500'001}).to_vector<float>(),
                     random::truncated_normal({500'001}).to_vector<float>(),
                     random::bernoulli({500'001}).to_vector<float>(),
                     random::shuffle(Tensor(std::vector<float>(300'000, 1.f))).to_vector<float>()});
  }
  team::set_size(0);
  EXPECT_TRUE(drawn[0] == drawn[1]);
  EXPECT_TRUE(drawn[0] == drawn[2]);
}

TEST(Random, SeedsAreIndependent) {
  random::set_seed(1);
  const auto x = values_of(random::normal({100'000}, {.seed = 1}));
  const auto y = values_of(random::normal({100'000}, {.seed = 2}));
  random::set_seed(2);
  const auto z = values_of(random::normal({100'000}, {.seed = 1}));
  double xy = 0, xz = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += x[i] * y[i];
    xz += x[i] * z[i];
  }
  EXPECT_LT(std::abs(xy) / std::sqrt(1e5), 3.3);
  EXPECT_LT(std::abs(xz) / std::sqrt(1e5), 3.3);
}

TEST(Random, StatelessNumbersAreTensorFlows) {
  const random::StatelessSeed seed{1, 2};
  const std::vector<float> uniforms = random::stateless_uniform({5}, seed).to_vector<float>();
  const float expected[] = {0.84406042f, 0.19204533f, 0.99622321f, 0.16038740f, 0.27199018f};
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(uniforms[i], expected[i], 1e-7) << i;
  const std::vector<float> normals = random::stateless_normal({4}, seed).to_vector<float>();
  const float normal[] = {0.54411012f, 0.20738031f, 0.07356432f, 0.04643455f};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(normals[i], normal[i], 1e-6) << i;
  const Tensor integers = random::stateless_uniform({3}, {7, -3}, {.maxval = 1000, .dtype = int32});
  EXPECT_EQ(integers.to_vector<int32_t>(), (std::vector<int32_t>{867, 102, 288}));
  for (float x : random::stateless_truncated_normal({99}, seed).to_vector<float>())
    EXPECT_LE(std::abs(x), 2);
}

TEST(Random, CategoricalDrawsByProbability) {
  const Tensor logits = {{0.f, std::log(3.f)}, {100.f, 0.f}};
  const Tensor drawn = random::categorical(logits, 20'000, {.seed = 5});
  EXPECT_EQ(drawn.dtype(), int64);
  const std::vector<int64_t> classes = drawn.to_vector<int64_t>();
  double ones = 0;
  for (size_t i = 0; i < 20'000; ++i) {
    ones += static_cast<double>(classes[i]);
    ASSERT_EQ(classes[20'000 + i], 0);
  }
  EXPECT_NEAR(ones / 20'000, 0.75, 0.02);
  EXPECT_ERROR(random::categorical(Tensor{1.f}, 3), InvalidArgumentError, "[batch, classes]");
}
