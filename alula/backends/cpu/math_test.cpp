// The accuracy of the mathematical routines, in units in the last place, for every instruction set
// that this CPU has.

// clang-format off: the instruction sets must be named before Highway is included
#include "alula/backends/cpu/targets.h"
#include <hwy/targets.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alula/backends/cpu/routines.h"
#include "alula/runtime/denormals.h"

using namespace alula;
using namespace alula::cpu;
using scalar::Opcode;

namespace {

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// How far a result is from the true one. What is smaller than a normal number may be 0.
template <class T>
double ulps(T got, Wide<T> want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : INFINITY;
  const Wide<T> distance = std::abs(static_cast<Wide<T>>(got) - want);
  constexpr T kSmallest = std::numeric_limits<T>::min();
  if (std::abs(rounded) < kSmallest) return distance <= kSmallest ? 0 : INFINITY;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  return static_cast<double>(std::ldexp(distance, std::numeric_limits<T>::digits - exponent));
}

template <class T>
std::vector<T> uniform(double from, double to) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> draw(from, to);
  std::vector<T> values(60000);
  for (T& value : values) value = static_cast<T>(draw(generator));
  return values;
}

/// Numbers of every size, infinities, NaNs and denormals among them.
template <class T>
std::vector<T> any_bits() {
  std::mt19937_64 generator(2);
  std::vector<T> values(60000);
  for (T& value : values) {
    const uint64_t bits = generator();
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

template <class T>
std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           2,
                           3,
                           T(0.5),
                           T(1.5),
                           T(1e-5),
                           T(1e10),
                           Limits::infinity(),
                           Limits::max(),
                           Limits::min(),
                           Limits::epsilon(),
                           Limits::quiet_NaN()};
  for (size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  return values;
}

template <class T>
std::vector<T> run(Opcode opcode, const std::vector<std::vector<T>>& operands) {
  const Routine routine = find_routine(opcode, dtype_of<T>, dtype_of<T>);
  std::vector<T> results(operands[0].size());
  std::vector<const void*> addresses;
  for (const std::vector<T>& operand : operands) addresses.push_back(operand.data());
  uint32_t faults = 0;
  const FlushDenormals flush;
  routine(results.data(), addresses.data(), 0, static_cast<int64_t>(results.size()), &faults);
  return results;
}

/// Calls `body` once with each instruction set in use.
template <class F>
void for_each_target(F&& body) {
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

template <class T>
void check(Opcode opcode, Wide<T> (*plain)(Wide<T>), const std::vector<std::vector<T>>& samples,
           double limit) {
  for (const std::vector<T>& x : samples) {
    std::vector<Wide<T>> expected;
    for (T value : x) expected.push_back(plain(value));
    for_each_target([&] {
      const std::vector<T> results = run<T>(opcode, {x});
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        double error = ulps(results[i], expected[i]);
        if (std::abs(x[i]) < std::numeric_limits<T>::min())  // may count as 0
          error = std::min(error, ulps(results[i], plain(std::copysign(T{0}, x[i]))));
        if (error > worst) at = i;
        worst = std::max(worst, error);
      }
      EXPECT_LE(worst, limit) << scalar::name_of(opcode) << " of " << x[at] << " in "
                              << name_of(dtype_of<T>) << " is " << results[at] << ", not "
                              << expected[at];
    });
  }
}

struct Span {
  double from, to;
};

template <class F>
void check_both(Opcode opcode, F, const std::vector<Span>& spans) {
  const auto samples = [&]<class T>(Type<T>) {
    std::vector<std::vector<T>> all = {specials<T>(), any_bits<T>()};
    for (const Span& span : spans) all.push_back(uniform<T>(span.from, span.to));
    return all;
  };
  check<float>(opcode, [](double x) { return F()(x); }, samples(Type<float>{}), 4);
  check<double>(opcode, [](long double x) { return F()(x); }, samples(Type<double>{}), 8);
}

}  // namespace

TEST(Math, Exp) {
  check_both(Opcode::kExp, [](auto x) { return std::exp(x); },
             {{-1, 1}, {-20, 20}, {-104, 90}, {-750, 711}});
}

TEST(Math, Expm1) {
  check_both(Opcode::kExpm1, [](auto x) { return std::expm1(x); },
             {{-1e-3, 1e-3}, {-1, 1}, {-20, 20}, {-104, 90}, {-750, 711}});
}

TEST(Math, Log) {
  check_both(Opcode::kLog, [](auto x) { return std::log(x); },
             {{0.99, 1.01}, {0.5, 2}, {0, 100}, {0, 1e30}});
}

TEST(Math, Log1p) {
  check_both(Opcode::kLog1p, [](auto x) { return std::log1p(x); },
             {{-1e-3, 1e-3}, {-1, 1}, {-1, 100}, {0, 1e30}});
}

TEST(Math, Sin) {
  check_both(Opcode::kSin, [](auto x) { return std::sin(x); },
             {{-1, 1}, {-10, 10}, {-1000, 1000}, {-39000, 39000}, {-1e6, 1e6}});
}

TEST(Math, Cos) {
  check_both(Opcode::kCos, [](auto x) { return std::cos(x); },
             {{-1, 1}, {-10, 10}, {-1000, 1000}, {-39000, 39000}, {-1e6, 1e6}});
}

TEST(Math, Tan) {
  check_both(Opcode::kTan, [](auto x) { return std::tan(x); },
             {{-1, 1}, {-10, 10}, {-1000, 1000}, {-39000, 39000}, {-1e6, 1e6}});
}

TEST(Math, Tanh) {
  check_both(Opcode::kTanh, [](auto x) { return std::tanh(x); },
             {{-1e-3, 1e-3}, {-1, 1}, {-10, 10}, {-100, 100}});
}

TEST(Math, Erf) {
  check_both(Opcode::kErf, [](auto x) { return std::erf(x); },
             {{-1e-3, 1e-3}, {-1, 1}, {0.9, 1.1}, {3, 4.5}, {-10, 10}});
}

namespace {

template <class T>
void check_pow(const std::vector<T>& x, const std::vector<T>& y, double limit) {
  for_each_target([&] {
    const std::vector<T> results = run<T>(Opcode::kPow, {x, y});
    for (size_t i = 0; i < x.size(); ++i) {
      const auto want = std::pow(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(y[i]));
      ASSERT_LE(ulps(results[i], want), limit) << x[i] << "^" << y[i] << " is " << results[i];
    }
  });
}

template <class T>
void check_powers(double limit) {
  std::vector<T> x, y;
  for (T a : specials<T>())
    for (T b : specials<T>()) {
      x.push_back(a);
      y.push_back(b);
    }
  check_pow(x, y, limit);
  const auto shuffled = [](std::vector<T> values) {
    std::shuffle(values.begin(), values.end(), std::mt19937(3));
    return values;
  };
  check_pow(uniform<T>(0, 10), shuffled(uniform<T>(-5, 5)), limit);
  check_pow(uniform<T>(-10, 10), shuffled(uniform<T>(-5, 5)), limit);
  check_pow(uniform<T>(0.99, 1.01), shuffled(uniform<T>(-5000, 5000)), limit);
  check_pow(uniform<T>(0, 1e30), shuffled(uniform<T>(-2, 2)), limit);
  std::vector<T> whole = shuffled(uniform<T>(-20, 20));
  for (T& value : whole) value = std::round(value);
  check_pow(uniform<T>(-10, 10), whole, limit);
}

}  // namespace

TEST(Math, Pow) {
  check_powers<float>(4);
  check_powers<double>(8);
}

TEST(Math, PowWithOneExponent) {
  for (float exponent : {2.f, 3.f, 0.5f, -1.f}) {
    const std::vector<float> x = specials<float>();
    std::vector<float> results(x.size());
    const void* operands[] = {x.data(), &exponent};
    uint32_t faults = 0;
    find_routine(Opcode::kPow, float32, float32)(results.data(), operands, 2,
                                                 static_cast<int64_t>(x.size()), &faults);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(ulps<float>(results[i], std::pow(static_cast<double>(x[i]), exponent)), 1)
          << x[i] << "^" << exponent;
  }
}
