#include "alula/ops/transpose.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_transpose(DType dtype, const Shape& from, const Axes& perm) {
  const Ints order = Transpose(perm).order(from.rank());
  OpTest::check([&](const auto& in) { return transpose(in[0], perm); }, {varied(dtype, from)},
                [&](const std::vector<Array>& in) {
                  Shape shape;
                  for (const int64_t axis : order) shape.push_back(from[static_cast<int>(axis)]);
                  return moved(in[0], shape, [&](const Shape& index) {
                    Shape source = from;
                    for (int i = 0; i < from.rank(); ++i)
                      source[static_cast<int>(order[i])] = index[i];
                    return source;
                  });
                });
}

}  // namespace

OP_TEST(transpose) {
  const std::vector<std::pair<Shape, Axes>> cases = {
      {{}, {}},
      {{5}, {}},
      {{2, 3}, {}},
      {{0, 3}, {}},
      {{1, 7}, {1, 0}},
      {{15, 17}, {-1, -2}},
      {{64, 64}, {}},
      {{65, 130}, {}},                 // tiles, and what is left at both edges
      {{33, 4, 2}, {1, 0, 2}},         // runs that are moved as one element
      {{40, 50, 3}, {1, 0, 2}},        // runs that are not
      {{9, 40, 16}, {1, 0, 2}},        // longer runs
      {{3, 20, 20, 3}, {0, 3, 1, 2}},  // channels first
      {{3, 3, 20, 20}, {0, 2, 3, 1}},  // and last
      {{2, 3, 4, 5}, {}},
      {{2, 3, 4, 5}, {2, 0, 3, 1}},
      {{2, 3, 4, 5}, {0, 1, 2, 3}},
      {{2, 1, 2, 3, 1, 2, 2, 3}, {7, 2, 5, 1, 0, 6, 3, 4}}};
  for (const DType dtype : every_dtype())
    for (const auto& [from, perm] : cases) check_transpose(dtype, from, perm);
  // By threads; and large enough to be written past the caches.
  check_transpose(uint8, {500, 333}, {});
  check_transpose(float16, {3, 300, 280}, {0, 2, 1});
  check_transpose(float32, {6, 70, 300}, {2, 1, 0});
  check_transpose(float32, {1504, 1616}, {});
  check_transpose(float64, {300, 500, 2}, {1, 0, 2});

  const Tensor x = varied(float32, {2, 3});
  EXPECT_ERROR(transpose(x, {0}), InvalidArgumentError, "name each dimension once");
  EXPECT_ERROR(transpose(x, {0, 0}), InvalidArgumentError, "given twice");
  EXPECT_ERROR(transpose(x, {0, 2}), InvalidArgumentError, "axis 2 is out of range");
}

TEST(Transpose, TakesUnknownDimensions) {
  EXPECT_EQ(inferred(Transpose(), {{float32, {kUnknown, 2, 3}}}), "[3,2,?]");
  EXPECT_EQ(inferred(Transpose({1, 0}), {{float32, {kUnknown, 2}}}), "[2,?]");
}
