#include "alula/ops/tile.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(tile) {
  const std::vector<std::pair<Shape, Ints>> cases = {{{}, {}},
                                                     {{3}, {4}},
                                                     {{3}, {0}},
                                                     {{0}, {3}},
                                                     {{1}, {33}},
                                                     {{2, 3}, {2, 1}},
                                                     {{2, 3}, {1, 5}},
                                                     {{2, 3}, {3, 2}},
                                                     {{1, 17}, {9, 1}},
                                                     {{7, 1}, {1, 9}},
                                                     {{2, 2, 2}, {2, 3, 4}},
                                                     {{30, 50}, {4, 5}}};
  const auto check = [](DType dtype, const Shape& shape, const Ints& multiples) {
    OpTest::check([&](const auto& in) { return tile(in[0], multiples); }, {varied(dtype, shape)},
                  [&](const std::vector<Array>& in) {
                    Shape result = shape;
                    for (int i = 0; i < shape.rank(); ++i) result[i] *= multiples[i];
                    return moved(in[0], result, [&](const Shape& index) {
                      Shape source = index;
                      for (int i = 0; i < index.rank(); ++i) source[i] %= shape[i];
                      return source;
                    });
                  });
  };
  for (const DType dtype : every_dtype())
    for (const auto& [shape, multiples] : cases) check(dtype, shape, multiples);
  check(float32, {100, 120}, {4, 3});
  check(float32, {2, 2, 2, 2, 2, 2, 2, 2}, {2, 1, 2, 1, 2, 1, 2, 3});
  check(float64, {2, 2, 2, 2, 1, 2, 1, 2}, {2, 1, 2, 1, 2, 1, 2, 3});
  const Tensor x = varied(float32, {2, 3});
  EXPECT_ERROR(tile(x, {1}), InvalidArgumentError, "a number for each dimension");
  EXPECT_ERROR(tile(x, {1, -1}), InvalidArgumentError, "cannot be negative");
  EXPECT_ERROR(tile(x, {1, INT64_MAX}), InvalidArgumentError, "too many elements");
  EXPECT_ERROR(tile(x, {1LL << 40, 1LL << 40}), InvalidArgumentError, "too many elements");
  EXPECT_EQ(inferred(Tile({2, 3}), {{float32, {kUnknown, 3}}}), "[?,9]");
}

OP_TEST(broadcast_to) {
  const std::vector<std::pair<Shape, Shape>> cases = {{{}, {}},
                                                      {{}, {2, 3}},
                                                      {{1}, {0}},
                                                      {{3}, {3}},
                                                      {{3}, {4, 3}},
                                                      {{4, 1}, {4, 5}},
                                                      {{1, 5}, {4, 5}},
                                                      {{2, 1, 3}, {2, 7, 3}},
                                                      {{1, 2, 1}, {3, 3, 2, 33}},
                                                      {{150, 1}, {150, 120}},
                                                      {{0, 1}, {2, 0, 3}}};
  const auto check = [](DType dtype, const Shape& from, const Shape& to) {
    OpTest::check(
        [&](const auto& in) { return broadcast_to(in[0], to); }, {varied(dtype, from)},
        [&](const std::vector<Array>& in) { return alula::testing::broadcast_to(in[0], to); });
  };
  for (const DType dtype : every_dtype())
    for (const auto& [from, to] : cases) check(dtype, from, to);
  check(float32, {1, 300}, {500, 300});
  const Tensor x = varied(float32, {2, 3});
  EXPECT_ERROR(broadcast_to(x, {3}), InvalidArgumentError, "does not broadcast to [3]");
  EXPECT_ERROR(broadcast_to(x, {4, 3}), InvalidArgumentError, "does not broadcast to [4,3]");
  EXPECT_EQ(inferred(BroadcastTo({5, 3}), {{float32, {kUnknown, 3}}}), "[5,3]");
  EXPECT_EQ(inferred(BroadcastTo({kUnknown, 3}), {{float32, {kUnknown, 3}}}), "[?,3]");
}
