#include "alula/ops/concat.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

Array concat_reference(const std::vector<Array>& in, int axis) {
  Shape shape = in[0].shape;
  for (size_t k = 1; k < in.size(); ++k) shape[axis] += in[k].shape[axis];
  Array result(shape);
  int64_t start = 0;
  for (const Array& part : in) {
    for_each_index(part.shape, [&](const Shape& index) {
      result[index.with(axis, start + index[axis])] = part[index];
    });
    start += part.shape[axis];
  }
  return result;
}

}  // namespace

OP_TEST(concat) {
  struct Case {
    std::vector<Shape> shapes;
    int64_t axis;
  };
  const std::vector<Case> cases = {{{{3}}, 0},
                                   {{{3}, {0}, {4}}, -1},
                                   {{{2, 3}, {1, 3}}, 0},
                                   {{{2, 3}, {2, 1}, {2, 5}}, 1},
                                   {{{7, 1}, {7, 1}}, -1},
                                   {{{2, 3, 4}, {2, 15, 4}, {2, 1, 4}}, -2},
                                   {{{0, 2}, {0, 3}}, 1},
                                   {{{200, 130}, {200, 177}}, 1},
                                   {{{300, 20}, {55, 20}}, 0}};
  for (const DType dtype : every_dtype())
    for (const auto& [shapes, axis] : cases) {
      std::vector<Tensor> inputs;
      for (const Shape& shape : shapes) inputs.push_back(varied(dtype, shape));
      OpTest::check([&](const auto& in) { return concat(in, axis); }, inputs,
                    [&](const std::vector<Array>& in) {
                      return concat_reference(in, normalize_axis("", axis, shapes[0].rank()));
                    });
    }
  OpTest::check([](const auto& in) { return concat(in, 1); },
                {varied(float32, {700, 150}), varied(float32, {700, 50})},
                [](const std::vector<Array>& in) { return concat_reference(in, 1); });

  // Where not all inputs are asked for.
  const Tensor constant = varied(float64, {2, 4});
  OpTest::compare_gradient(
      [&](const auto& in) { return concat({in[0], constant, in[1], in[0]}, 1); },
      {varied(float64, {2, 3}), varied(float64, {2, 5})});

  const Tensor a = varied(float32, {2, 3}), b = varied(float32, {2, 4});
  EXPECT_EQ(concat({a, b}, 1).shape(), (Shape{2, 7}));
  EXPECT_ERROR(concat({}, 0), InvalidArgumentError, "there is no tensor");
  EXPECT_ERROR(concat({a, b}, 0), InvalidArgumentError, "dimension 1 differs");
  EXPECT_ERROR(concat({a, b}, 2), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(concat({a, varied(float32, {2})}, 0), InvalidArgumentError, "the ranks differ");
  EXPECT_ERROR(concat({a, varied(int32, {2, 3})}, 0), InvalidArgumentError, "the dtypes differ");
  EXPECT_ERROR(concat({Tensor(1.f), Tensor(2.f)}, 0), InvalidArgumentError, "Use stack()");
}

OP_TEST(stack) {
  struct Case {
    Shape shape;
    int count;
    int64_t axis;
  };
  const std::vector<Case> cases = {{{}, 3, 0},     {{4}, 1, 0},     {{4}, 2, 1},
                                   {{4}, 3, -1},   {{2, 3}, 2, 1},  {{2, 3}, 5, -1},
                                   {{0, 3}, 2, 0}, {{17, 5}, 3, 0}, {{170, 50}, 3, 1}};
  for (const DType dtype : every_dtype())
    for (const auto& [shape, count, axis] : cases) {
      std::vector<Tensor> inputs;
      for (int i = 0; i < count; ++i) inputs.push_back(varied(dtype, shape));
      OpTest::check([&](const auto& in) { return stack(in, axis); }, inputs,
                    [&](const std::vector<Array>& in) {
                      const int place = normalize_axis("", axis, shape.rank() + 1);
                      Array result(shape.with_inserted(place, count));
                      for_each_index(result.shape, [&](const Shape& index) {
                        result[index] = in[index[place]][index.without(place)];
                      });
                      return result;
                    });
    }
  // Where not all inputs are asked for.
  const Tensor constant = varied(float64, {2, 4});
  OpTest::compare_gradient([&](const auto& in) { return stack({constant, in[0], in[1]}, 1); },
                           {varied(float64, {2, 4}), varied(float64, {2, 4})});

  const Tensor a = varied(float32, {2});
  EXPECT_EQ(stack({a, a}).shape(), (Shape{2, 2}));
  EXPECT_ERROR(stack({}, 0), InvalidArgumentError, "there is no tensor");
  EXPECT_ERROR(stack({a, varied(float32, {3})}), InvalidArgumentError, "the shapes differ");
  EXPECT_ERROR(stack({a, varied(int8, {2})}), InvalidArgumentError, "the dtypes differ");
  EXPECT_ERROR(stack({a, a}, 2), InvalidArgumentError, "axis 2 is out of range");
}

TEST(Concat, TakesUnknownDimensions) {
  const Spec open{float32, {kUnknown, 3}}, two{float32, {2, 3}}, wide{float32, {4, kUnknown}};
  EXPECT_EQ(inferred(Concat(0), {two, two}), "[4,3]");
  EXPECT_EQ(inferred(Concat(0), {open, two}), "[?,3]");
  EXPECT_EQ(inferred(Concat(0), {two, open}), "[?,3]");
  EXPECT_EQ(inferred(Concat(1), {open, two}), "[2,6]");
  EXPECT_EQ(inferred(Concat(0), {wide, two}), "[6,3]");
  EXPECT_EQ(inferred(Stack(1), {open, two}), "[2,2,3]");
  EXPECT_EQ(inferred(Stack(0), {open, open}), "[2,?,3]");
}
