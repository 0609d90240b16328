#include "alula/ops/sum_to.h"

#include "alula/testing/elementwise_gradient.h"

using namespace alula;
using namespace alula::testing;

TEST(SumTo, UndoesBroadcasting) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{2, 3}, {3}},          {{2, 3}, {2, 1}}, {{2, 3}, {}},     {{2, 3}, {1, 1}},
      {{4, 2, 3}, {2, 1}},    {{0, 3}, {3}},    {{3, 0}, {3, 1}}, {{2, 1, 3}, {1, 3}},
      {{5, 4, 3}, {5, 1, 3}}, {{1, 3}, {3}},    {{7}, {7}}};
  for (const auto& [from, to] : cases)
    OpTest::check([&](const std::vector<Tensor>& in) { return sum_to(in[0], to); },
                  {random_tensor({float64, from})},
                  [&](const std::vector<Array>& in) { return plain_sum_to(in[0], to); });
}

TEST(SumTo, ReturnsTheTensorItselfIfTheShapesAgree) {
  const Tensor x = {1.f, 2.f};
  EXPECT_TRUE(sum_to(x, {2}).same_as(x));
}

TEST(SumTo, RejectsShapesThatDoNotBroadcast) {
  EXPECT_ERROR(sum_to({1.f, 2.f}, {3}), InvalidArgumentError, "does not broadcast");
  EXPECT_ERROR(sum_to({1.f, 2.f}, {1, 2}), InvalidArgumentError, "more dimensions");
  EXPECT_ERROR(sum_to(Tensor(), {1}), InvalidArgumentError, "not defined");
}
