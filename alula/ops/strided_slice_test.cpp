#include "alula/ops/strided_slice.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// What Python's range(*slice(begin, end, stride).indices(dim)) lists; kNone stands for None.
constexpr int64_t kNone = INT64_MIN;

std::vector<int64_t> python_slice(int64_t dim, int64_t begin, int64_t end, int64_t stride) {
  std::vector<int64_t> result;
  const auto place = [&](int64_t at, int64_t none) {
    if (at == kNone) return none;
    if (at < 0) at += dim;
    return std::clamp<int64_t>(at, stride > 0 ? 0 : -1, stride > 0 ? dim : dim - 1);
  };
  const int64_t first = place(begin, stride > 0 ? 0 : dim - 1),
                last = place(end, stride > 0 ? dim : -1);
  for (int64_t i = first; stride > 0 ? i < last : i > last; i += stride) result.push_back(i);
  return result;
}

void check_range(DType dtype, const Shape& shape, const Ints& begin, const Ints& end,
                 const Ints& strides) {
  StridedSliceOptions options;
  options.strides = strides;
  Ints from = begin, to = end;
  std::vector<std::vector<int64_t>> chosen;
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    chosen.push_back(python_slice(shape[i], begin[i], end[i], strides[i]));
    result.push_back(static_cast<int64_t>(chosen.back().size()));
    if (begin[i] == kNone) options.begin_mask |= 1u << i, from[i] = 3;
    if (end[i] == kNone) options.end_mask |= 1u << i, to[i] = 1;
  }
  OpTest::check([&](const auto& in) { return strided_slice(in[0], from, to, options); },
                {varied(dtype, shape)},
                [&](const std::vector<Array>& in) {
                  return moved(in[0], result, [&](const Shape& index) {
                    Shape source = index;
                    for (int i = 0; i < index.rank(); ++i) source[i] = chosen[i][index[i]];
                    return source;
                  });
                });
}

}  // namespace

OP_TEST(strided_slice) {
  for (const DType dtype : every_dtype()) {
    check_range(dtype, {5}, {1}, {-1}, {1});
    check_range(dtype, {5}, {kNone}, {kNone}, {-1});
    check_range(dtype, {0}, {kNone}, {kNone}, {1});
    check_range(dtype, {17, 33}, {1, kNone}, {kNone, kNone}, {3, -2});
    check_range(dtype, {4, 7, 15}, {-1, 0, 100}, {0, 100, -100}, {-1, 2, -4});
    check_range(dtype, {170, 90}, {kNone, 1}, {kNone, kNone}, {-1, 1});
    check_range(dtype, {90, 40, 3}, {kNone, kNone, kNone}, {kNone, kNone, kNone}, {1, -1, 1});
  }
  check_range(float32, {700, 600}, {kNone, kNone}, {kNone, kNone}, {1, 2});
  // Every way of standing to the ends.
  for (int64_t dim : {0, 1, 4})
    for (int64_t begin : {kNone, int64_t{-6}, int64_t{-2}, int64_t{0}, int64_t{3}, int64_t{9}})
      for (int64_t end : {kNone, int64_t{-6}, int64_t{-1}, int64_t{0}, int64_t{2}, int64_t{9}})
        for (int64_t stride : {-9, -2, -1, 1, 2, 9})
          check_range(int32, {dim}, {begin}, {end}, {stride});
  check_range(int32, {4}, {INT64_MIN + 1}, {INT64_MAX}, {INT64_MAX});

  const auto check_gradient = [](std::initializer_list<Index> index) {
    OpTest::compare_gradient([&](const auto& in) { return at(in[0], index); },
                             {varied(float64, {2, 3, 4})});
  };
  check_gradient({1, 2, 3});
  check_gradient({0, {1, 3}, 0});
  check_gradient({kEllipsis, -1});
  check_gradient({1, kEllipsis, {0, 4, 3}});
  check_gradient({kAll, 0, kNewAxis, {-1, Index::kEnd, -2}});
  check_gradient({kNewAxis, 0, kEllipsis, kNewAxis, 0});
  check_gradient({{-1, Index::kEnd, -1}, {0, 3, 2}, {3, 0, -2}});
  check_gradient({kAll, kAll, {2, 2}});
  check_gradient({});
  OpTest::compare_gradient(  // as many dimensions as there can be
      [](const auto& in) {
        return at(in[0], {kAll, {0, 5, 2}, kAll, {4, 0, -3}, kAll, kAll, kAll, {0, 3, 2}});
      },
      {varied(float64, {1, 5, 2, 5, 1, 2, 1, 3})});

  const Tensor x = varied(float32, {4, 6});
  EXPECT_ERROR(strided_slice(x, {0}, {1, 2}), InvalidArgumentError, "equally long");
  EXPECT_ERROR(strided_slice(x, {0, 0, 0}, {1, 1, 1}), InvalidArgumentError, "there are 3 indices");
  StridedSliceOptions zero;
  zero.strides = {0};
  EXPECT_ERROR(strided_slice(x, {0}, {1}, zero), InvalidArgumentError, "cannot be 0");
  StridedSliceOptions picks;
  picks.shrink_axis_mask = 1;
  EXPECT_ERROR(strided_slice(x, {4}, {5}, picks), InvalidArgumentError,
               "position 4 is out of range");
  EXPECT_ERROR(strided_slice(x, {-5}, {5}, picks), InvalidArgumentError,
               "position -5 is out of range");
  picks.strides = {-1};
  EXPECT_ERROR(strided_slice(x, {0}, {1}, picks), InvalidArgumentError, "must be positive");
  StridedSliceOptions two;
  two.ellipsis_mask = 3;
  EXPECT_ERROR(strided_slice(x, {0, 0}, {0, 0}, two), InvalidArgumentError, "only one ellipsis");
}

TEST(StridedSlice, IndexesAsPythonDoes) {
  Array values({2, 3, 4});
  for (size_t i = 0; i < values.values.size(); ++i) values.values[i] = static_cast<double>(i);
  const Tensor x = to_tensor(values, int32);
  const auto expect = [](const Tensor& actual, const Shape& shape,
                         const std::vector<double>& wanted) {
    expect_equal(actual, Array(shape, wanted), int32);
  };
  expect(at(x, {1, 2, 3}), {}, {23});
  expect(at(x, {0, {1, 3}, 0}), {2}, {4, 8});
  expect(at(x, {kEllipsis, -1}), {2, 3}, {3, 7, 11, 15, 19, 23});
  expect(at(x, {1, kEllipsis, {0, 4, 3}}), {3, 2}, {12, 15, 16, 19, 20, 23});
  expect(at(x, {kAll, 0, kNewAxis, {-1, Index::kEnd, -2}}), {2, 1, 2}, {3, 1, 15, 13});
  expect(at(x, {kNewAxis, 0, kEllipsis, kNewAxis, 0}), {1, 3, 1}, {0, 4, 8});
  expect(at(x, {-1, -1}), {4}, {20, 21, 22, 23});
  expect(at(x, {0, 1, 2, kEllipsis}), {}, {6});
  EXPECT_EQ(at(x, {}).shape(), x.shape());
  EXPECT_ERROR(at(x, {0, 3}), InvalidArgumentError, "position 3 is out of range for dimension 1");
  EXPECT_ERROR(at(x, {0, 0, 0, 0}), InvalidArgumentError, "there are 4 indices");
}

TEST(StridedSlice, TakesUnknownDimensions) {
  const Spec open{float32, {kUnknown, 6}};
  StridedSliceOptions options;
  EXPECT_EQ(inferred(StridedSlice({1, 1}, {5, 3}), {open}), "[?,2]");
  options.shrink_axis_mask = 1;
  EXPECT_EQ(inferred(StridedSlice({3, 1}, {4, -1}, options), {open}), "[4]");
  options = {};
  options.new_axis_mask = 1;
  EXPECT_EQ(inferred(StridedSlice({0}, {0}, options), {open}), "[1,?,6]");
}
