#include "alula/keras/setting.h"

#include <string>

#include <gtest/gtest.h>

#include "alula/testing/harness.h"

using namespace alula;
using keras::Setting;

namespace {

struct Options {
  Setting<double> clipnorm = {};
  Setting<int64_t> seed = {};
  Setting<std::string> name = {};
};

}  // namespace

TEST(Setting, MayBeLeftUnset) {
  const Options options;
  EXPECT_FALSE(options.clipnorm.given());
  EXPECT_EQ(options.clipnorm.value_or(2.5), 2.5);
  EXPECT_ERROR(options.seed.value(), FailedPreconditionError, "left unset");
}

TEST(Setting, TakesValuesAsTheyAreWritten) {
  const Options options{.clipnorm = 1, .seed = 3, .name = "adam"};
  EXPECT_EQ(options.clipnorm.value(), 1.0);
  EXPECT_EQ(options.seed.value(), 3);
  EXPECT_EQ(options.name.value(), "adam");
  EXPECT_EQ(options.seed.value_or(7), 3);
  Setting<int64_t> copy = options.seed;
  EXPECT_EQ(copy, options.seed);
  copy = {};
  EXPECT_FALSE(copy.given());
}

TEST(Setting, LosesNothingOnTheWay) {
  static_assert(std::is_convertible_v<int, Setting<double>>);
  static_assert(!std::is_convertible_v<double, Setting<int64_t>>);
  static_assert(!std::is_convertible_v<bool, Setting<int64_t>>);
  static_assert(!std::is_convertible_v<int, Setting<bool>>);
  static_assert(std::is_convertible_v<const char*, Setting<std::string>>);
}
