#include "alula/ops/reverse.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(reverse) {
  const std::vector<std::pair<Shape, Axes>> cases = {{{}, {}},
                                                     {{7}, 0},
                                                     {{0, 2}, 0},
                                                     {{3, 5}, {}},
                                                     {{3, 5}, 0},
                                                     {{3, 5}, -1},
                                                     {{4, 3, 2}, {0, 2}},
                                                     {{17, 33}, 1},
                                                     {{2, 9, 3}, 1},
                                                     {{200, 90}, 1},
                                                     {{3, 4}, std::vector<int64_t>{}}};
  const auto check = [](DType dtype, const Shape& shape, const Axes& axis) {
    const auto backwards = axis.among("", shape.rank());
    OpTest::check([&](const auto& in) { return reverse(in[0], axis); }, {varied(dtype, shape)},
                  [&](const std::vector<Array>& in) {
                    return moved(in[0], shape, [&](const Shape& index) {
                      Shape source = index;
                      for (int i = 0; i < index.rank(); ++i)
                        if (backwards[i]) source[i] = shape[i] - 1 - index[i];
                      return source;
                    });
                  });
  };
  for (const DType dtype : every_dtype())
    for (const auto& [shape, axis] : cases) check(dtype, shape, axis);
  check(float32, {350, 401}, {});
  const Tensor x = varied(float32, {2, 3});
  EXPECT_ERROR(reverse(x, 2), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(reverse(x, {0, -2}), InvalidArgumentError, "given twice");
  EXPECT_EQ(inferred(Reverse(0), {{float32, {kUnknown, 3}}}), "[?,3]");
}

OP_TEST(roll) {
  struct Case {
    Shape shape;
    Ints shift, axis;
  };
  const std::vector<Case> cases = {{{}, {}, {}},
                                   {{5}, {2}, {0}},
                                   {{5}, {-1}, {-1}},
                                   {{5}, {12}, {0}},
                                   {{5}, {5}, {0}},
                                   {{0, 3}, {1}, {0}},
                                   {{4, 7}, {1, -3}, {0, 1}},
                                   {{4, 7}, {1, 2}, {1, 1}},
                                   {{3, 5, 17}, {1, 2, 3}, {0, 1, 2}},
                                   {{200, 80}, {7, 33}, {0, 1}}};
  const auto check = [](DType dtype, const Case& c) {
    OpTest::check([&](const auto& in) { return roll(in[0], c.shift, c.axis); },
                  {varied(dtype, c.shape)},
                  [&](const std::vector<Array>& in) {
                    return moved(in[0], c.shape, [&](const Shape& index) {
                      Shape source = index;
                      for (size_t k = 0; k < c.axis.size(); ++k) {
                        const int i = normalize_axis("", c.axis[k], index.rank());
                        const int64_t dim = c.shape[i];
                        source[i] = ((source[i] - c.shift[k]) % dim + dim) % dim;
                      }
                      return source;
                    });
                  });
  };
  for (const DType dtype : every_dtype())
    for (const Case& c : cases) check(dtype, c);
  check(float32, {{400, 300}, {150, -20}, {0, 1}});
  const Tensor x = varied(float32, {2, 3});
  EXPECT_ERROR(roll(x, {1}, {0, 1}), InvalidArgumentError, "a shift for each axis");
  EXPECT_ERROR(roll(x, {1}, {2}), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_EQ(inferred(Roll({1}, {0}), {{float32, {kUnknown, 3}}}), "[?,3]");
}
