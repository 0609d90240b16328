#include "alula/scalar/compose.h"

#include <gtest/gtest.h>

using namespace alula;
using namespace alula::scalar;

namespace {

/// (x + y) * parameter
std::unique_ptr<Program> scaled_sum() {
  Builder b;
  const Scalar x = b.input(float32), y = b.input(float32), p = b.parameter(float32);
  return b.finish("scaled_sum", std::vector{(x + y) * p});
}

}  // namespace

TEST(Compose, RecordsAProgramWithinAnother) {
  const auto part = scaled_sum();
  Builder b;
  const Scalar x = b.input(float32);
  const double parameters[] = {3};
  const std::vector<Scalar> once = inlined(b, *part, std::vector{x, x}, parameters);
  const std::vector<Scalar> twice = inlined(b, *part, std::vector{once[0], x}, parameters);
  EXPECT_EQ(b.finish("both", twice)->str(),
            "%0 = input float32 0\n"
            "%1 = constant float32 3\n"
            "%2 = add float32 %0 %0\n"
            "%3 = mul float32 %2 %1\n"
            "%4 = add float32 %3 %0\n"
            "%5 = mul float32 %4 %1\n"
            "return %5\n");
}

TEST(Compose, KeepsOneOfProgramsThatAreAlike) {
  const Program& first = interned(scaled_sum());
  EXPECT_EQ(&first, &interned(scaled_sum()));
  Builder b;
  const Scalar x = b.input(float32);
  EXPECT_NE(&first, &interned(b.finish("scaled_sum", std::vector{x + x})));
}
