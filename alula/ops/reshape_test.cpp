#include "alula/ops/reshape.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The same elements in another shape.
Reference in_shape(const Shape& shape) {
  return [shape](const std::vector<Array>& in) { return Array(shape, in[0].values); };
}

const Shape kLarge{300, 400};

}  // namespace

OP_TEST(reshape) {
  struct Case {
    Shape from, to, expected;
  };
  const std::vector<Case> cases = {{{2, 3}, {3, 2}, {3, 2}},
                                   {{2, 3}, {-1}, {6}},
                                   {{2, 3}, {1, -1, 2}, {1, 3, 2}},
                                   {{}, {1, 1}, {1, 1}},
                                   {{1}, {}, {}},
                                   {{0, 3}, {3, 0}, {3, 0}},
                                   {{0, 3}, {-1, 3}, {0, 3}},
                                   {{17}, {17, 1}, {17, 1}},
                                   {kLarge, {400, -1}, {400, 300}},
                                   {{2, 3, 4}, {4, -1}, {4, 6}}};
  for (const DType dtype : every_dtype())
    for (const auto& [from, to, expected] : cases)
      OpTest::check([&](const auto& in) { return reshape(in[0], to); }, {varied(dtype, from)},
                    in_shape(expected));

  const Tensor x = varied(float32, {2, 3});
  EXPECT_ERROR(reshape(x, {-1, -1}), InvalidArgumentError, "only one dimension may be -1");
  EXPECT_ERROR(reshape(x, {4, -1}), InvalidArgumentError, "6 is no multiple of 4");
  EXPECT_ERROR(reshape(x, {7}), InvalidArgumentError, "another number of elements");
  EXPECT_ERROR(reshape(x, {0, -1}), InvalidArgumentError, "could be any size");
  EXPECT_ERROR(reshape(x, {1LL << 40, 1LL << 40}), InvalidArgumentError, "too many elements");
}

TEST(Reshape, SharesItsElements) {
  const Tensor x = varied(float32, kLarge);
  EXPECT_EQ(reshape(x, {-1}).data(), x.data());
  EXPECT_EQ(expand_dims(x, 0).data(), x.data());
  EXPECT_EQ(squeeze(expand_dims(x, 1)).data(), x.data());
  EXPECT_EQ(identity(x).data(), x.data());
  const Tensor text = varied(string, {20, 30});
  EXPECT_EQ(reshape(text, {-1}).data(), text.data());
}

TEST(Reshape, TakesUnknownDimensions) {
  EXPECT_EQ(inferred(Reshape({-1, 12}), {{float32, {kUnknown, 3, 4}}}), "[?,12]");
  EXPECT_EQ(inferred(Reshape({6, 2}), {{float32, {kUnknown, 3}}}), "[6,2]");
  EXPECT_EQ(inferred(ExpandDims(-1), {{float32, {kUnknown, 3}}}), "[?,3,1]");
  EXPECT_EQ(inferred(Squeeze(1), {{float32, {kUnknown, 1}}}), "[?]");
  EXPECT_EQ(inferred(Squeeze(0), {{float32, {kUnknown, 5}}}), "[5]");
  EXPECT_EQ(inferred(Identity(), {{float32, {kUnknown, 5}}}), "[?,5]");
  EXPECT_ERROR(inferred(Squeeze(), {{float32, {kUnknown, 1}}}), InvalidArgumentError,
               "Name the axes");
}

OP_TEST(expand_dims) {
  struct Case {
    Shape from;
    int64_t axis;
    Shape expected;
  };
  const std::vector<Case> cases = {{{}, 0, {1}},           {{}, -1, {1}},         {{3}, 0, {1, 3}},
                                   {{3}, 1, {3, 1}},       {{3}, -1, {3, 1}},     {{3}, -2, {1, 3}},
                                   {{2, 3}, 1, {2, 1, 3}}, {{0, 2}, 1, {0, 1, 2}}};
  for (const DType dtype : every_dtype())
    for (const auto& [from, axis, expected] : cases)
      OpTest::check([&](const auto& in) { return expand_dims(in[0], axis); }, {varied(dtype, from)},
                    in_shape(expected));
  EXPECT_ERROR(expand_dims(varied(float32, {3}), 2), InvalidArgumentError,
               "axis 2 is out of range");
  EXPECT_ERROR(expand_dims(varied(float32, {1, 1, 1, 1, 1, 1, 1, 1}), 0), InvalidArgumentError,
               "at most 8 dimensions");
}

OP_TEST(squeeze) {
  struct Case {
    Shape from;
    Axes axis;
    Shape expected;
  };
  const std::vector<Case> cases = {{{}, {}, {}},
                                   {{1, 1}, {}, {}},
                                   {{1, 2, 1, 3}, {}, {2, 3}},
                                   {{1, 2, 1, 3}, 0, {2, 1, 3}},
                                   {{1, 2, 1, 3}, {-2}, {1, 2, 3}},
                                   {{1, 2, 1}, {2, 0}, {2}},
                                   {{1, 0}, {}, {0}}};
  for (const DType dtype : every_dtype())
    for (const auto& [from, axis, expected] : cases)
      OpTest::check([&](const auto& in) { return squeeze(in[0], axis); }, {varied(dtype, from)},
                    in_shape(expected));
  EXPECT_ERROR(squeeze(varied(float32, {2, 1}), 0), InvalidArgumentError, "of size 2, not 1");
  EXPECT_ERROR(squeeze(varied(float32, {2, 1}), 2), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(squeeze(varied(float32, {2, 1}), {1, -1}), InvalidArgumentError, "given twice");
}

OP_TEST(identity) {
  for (const DType dtype : every_dtype())
    for (const Shape& shape : {Shape{}, Shape{0, 2}, Shape{3, 5}, kLarge})
      OpTest::check([](const auto& in) { return identity(in[0]); }, {varied(dtype, shape)},
                    in_shape(shape));
}
