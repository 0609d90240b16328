#include "alula/ops/split.h"

#include "alula/ops/data_movement_test.h"
#include "alula/ops/matmul.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(split) {
  struct Case {
    Shape shape;
    Splits splits;
    int64_t axis;
    std::vector<int64_t> sizes;
  };
  const std::vector<Case> cases = {{{6}, 2, 0, {3, 3}},
                                   {{6}, {6}, 0, {6}},
                                   {{6}, {1, -1, 2}, 0, {1, 3, 2}},
                                   {{4, 6}, 3, -1, {2, 2, 2}},
                                   {{4, 6}, {5, 1}, 1, {5, 1}},
                                   {{4, 6, 3}, {0, 6}, 1, {0, 6}},
                                   {{4, 0}, 2, 1, {0, 0}},
                                   {{0, 4}, 2, 1, {2, 2}},
                                   {{200, 120}, {17, 33, -1}, 1, {17, 33, 70}},
                                   {{64, 33}, 2, 0, {32, 32}}};
  const auto check = [](DType dtype, const Case& c) {
    const Tensor x = varied(dtype, c.shape);
    const int axis = normalize_axis("", c.axis, c.shape.rank());
    int64_t start = 0;
    for (size_t k = 0; k < c.sizes.size(); ++k) {
      OpTest::check([&](const auto& in) { return split(in[0], c.splits, c.axis)[k]; }, {x},
                    [&](const std::vector<Array>& in) {
                      return moved(in[0], c.shape.with(axis, c.sizes[k]), [&](const Shape& index) {
                        return index.with(axis, start + index[axis]);
                      });
                    });
      start += c.sizes[k];
    }
    EXPECT_EQ(split(x, c.splits, c.axis).size(), c.sizes.size());
  };
  for (const DType dtype : every_dtype())
    for (const Case& c : cases) check(dtype, c);
  check(float32, {{500, 300}, {100, -1}, 1, {100, 200}});

  // Two outputs that are used, and one that is not.
  OpTest::compare_gradient(
      [](const auto& in) {
        const Tensors pieces = split(in[0], {2, 3, 2}, 1);
        return matmul(pieces[0], pieces[2], {.transpose_b = true});
      },
      {varied(float64, {4, 7})});

  const Tensor x = varied(float32, {4, 6});
  EXPECT_ERROR(split(x, 4, 1), InvalidArgumentError, "4 pieces do not divide 6");
  EXPECT_ERROR(split(x, 0), InvalidArgumentError, "at least one piece");
  EXPECT_ERROR(split(x, -1), InvalidArgumentError, "at least one piece");
  EXPECT_ERROR(split(x, {1, 2}), InvalidArgumentError, "do not add up to 4");
  EXPECT_ERROR(split(x, {5, -1}), InvalidArgumentError, "do not add up to 4");
  EXPECT_ERROR(split(x, {-1, -1}), InvalidArgumentError, "only one size may be -1");
  EXPECT_ERROR(split(x, {-2, 6}), InvalidArgumentError, "cannot be negative");
  EXPECT_ERROR(split(x, {INT64_MAX, INT64_MAX}), InvalidArgumentError, "too large");
  EXPECT_ERROR(split(x, 2, 2), InvalidArgumentError, "axis 2 is out of range");
}

OP_TEST(unstack) {
  for (const DType dtype : every_dtype())
    for (const auto& [shape, axis] : std::vector<std::pair<Shape, int64_t>>{
             {{3}, 0}, {{2, 3}, 0}, {{2, 3}, 1}, {{4, 3, 5}, -2}, {{2, 0}, 0}, {{300, 3}, -1}}) {
      const Tensor x = varied(dtype, shape);
      const int place = normalize_axis("", axis, shape.rank());
      EXPECT_EQ(unstack(x, axis).size(), static_cast<size_t>(shape[place]));
      for (int64_t k = 0; k < shape[place]; ++k)
        OpTest::check([&, axis = axis](const auto& in) { return unstack(in[0], axis)[k]; }, {x},
                      [&, shape = shape](const std::vector<Array>& in) {
                        return moved(in[0], shape.without(place), [&](const Shape& index) {
                          return index.with_inserted(place, k);
                        });
                      });
    }
  OpTest::compare_gradient(
      [](const auto& in) {
        const Tensors slices = unstack(in[0], 1);
        return matmul(slices[0], slices[2], {.transpose_b = true});
      },
      {varied(float64, {4, 3, 2})});
  EXPECT_TRUE(unstack(varied(float32, {0, 2})).empty());
  EXPECT_ERROR(unstack(Tensor(1.f)), InvalidArgumentError, "axis 0 is out of range");
}

TEST(Split, TakesUnknownDimensions) {
  const Spec open{float32, {kUnknown, 6}};
  EXPECT_EQ(inferred(Split(3, 1), {open}), "[?,2]");
  EXPECT_EQ(inferred(Split(3, 0), {open}), "[?,6]");
  EXPECT_EQ(inferred(Split({2, -1}, 0), {open}), "[2,6]");
  EXPECT_EQ(to_string(infer(Split({2, -1}, 0), {open})[1].shape), "[?,6]");
  EXPECT_EQ(inferred(Unstack(1), {open}), "[?]");
  EXPECT_ERROR(inferred(Unstack(0), {open}), InvalidArgumentError, "is unknown");
}
