#include "alula/ops/gather.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Random positions below `size`.
Tensor positions(DType dtype, const Shape& shape, int64_t size) {
  return random_tensor({dtype, shape}, {.from = 0, .to = static_cast<double>(size - 1)});
}

Array gather_reference(const Array& params, const Array& indices, int axis, int batch) {
  const Shape &p = params.shape, &k = indices.shape;
  const int chosen = k.rank() - batch;
  const Shape shape = p.slice(0, axis) + k.slice(batch, k.rank()) + p.slice(axis + 1, p.rank());
  return moved(params, shape, [&](const Shape& index) {
    const Shape at = index.slice(0, batch) + index.slice(axis, axis + chosen);
    const auto position = static_cast<int64_t>(indices[at]);
    return index.slice(0, axis) + Shape{position} + index.slice(axis + chosen, index.rank());
  });
}

}  // namespace

OP_TEST(gather) {
  struct Case {
    Shape params, indices;
    int64_t axis, batch;
  };
  const std::vector<Case> cases = {{{5}, {}, 0, 0},
                                   {{5}, {7}, 0, 0},
                                   {{5}, {0}, 0, 0},
                                   {{5, 3}, {2, 4}, 0, 0},
                                   {{5, 3}, {4}, 1, 0},
                                   {{4, 5, 3}, {4}, -2, 0},
                                   {{4, 5, 3}, {4, 2}, 1, 1},
                                   {{2, 3, 4, 5}, {2, 3}, 2, 1},
                                   {{2, 3, 4}, {2, 3, 2}, 2, 2},
                                   {{0, 4}, {3}, 1, 0},
                                   {{33, 17}, {90}, 0, 0},
                                   {{50, 40}, {300}, 1, 0}};
  const auto check = [](DType dtype, DType index, const Case& c) {
    const int axis = normalize_axis("", c.axis, c.params.rank());
    const Tensor params = varied(dtype, c.params);
    const Tensor indices = positions(index, c.indices, c.params[axis]);
    OpTest::check(
        [&](const auto& in) {
          return gather(in[0], in[1], {.axis = c.axis, .batch_dims = c.batch});
        },
        {params, indices},
        [&](const std::vector<Array>& in) {
          return gather_reference(in[0], in[1], axis, static_cast<int>(c.batch));
        });
  };
  for (const DType dtype : every_dtype())
    for (const Case& c : cases)
      for (const DType index : {int32, int64}) check(dtype, index, c);
  check(float32, int32, {{1000, 120}, {1500}, 0, 0});
  check(float32, int64, {{100, 100}, {2000}, 1, 0});

  const Tensor x = varied(float32, {3, 4});
  EXPECT_EQ(gather(x, {1, 2}).shape(), (Shape{2, 4}));
  EXPECT_EQ(gather(x, {{1, 2}, {0, 0}, {3, 1}}, {.batch_dims = 1}).shape(), (Shape{3, 2}));
  EXPECT_ERROR(gather(x, {0, 3}), InvalidArgumentError, "index 3 is out of range: the axis has 3");
  EXPECT_ERROR(gather(x, {-1}), InvalidArgumentError, "index -1 is out of range");
  EXPECT_ERROR(gather(varied(float32, {0}), {0}), InvalidArgumentError, "the axis has 0 elements");
  EXPECT_ERROR(gather(x, {1.f}), InvalidArgumentError, "must be int32 or int64");
  EXPECT_ERROR(gather(x, {0}, {.axis = 2}), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(gather(Tensor(1.f), {0}), InvalidArgumentError, "axis 0 is out of range");
  EXPECT_ERROR(gather(x, {0}, {.batch_dims = 2}), InvalidArgumentError,
               "batch_dims 2 is out of range");
  EXPECT_ERROR(gather(x, {0}, {.batch_dims = 1}), InvalidArgumentError,
               "batch dimension 0 differs");
  EXPECT_ERROR(gather(x, {0, 0, 0}, {.axis = 0, .batch_dims = 1}), InvalidArgumentError,
               "must follow the 1 batch dimensions");
}

OP_TEST(gather_nd) {
  struct Case {
    Shape params, indices;
    int64_t batch;
  };
  const std::vector<Case> cases = {{{5}, {1}, 0},
                                   {{5}, {7, 1}, 0},
                                   {{4, 4}, {3, 2}, 0},
                                   {{4, 4, 3}, {3, 2}, 0},
                                   {{4, 3}, {2, 0}, 0},
                                   {{4, 4}, {0, 2}, 0},
                                   {{3, 4, 4}, {3, 2, 2}, 1},
                                   {{3, 4}, {3, 5, 1}, 1},
                                   {{3, 3, 17}, {40, 2}, 0},
                                   {{3, 4}, {2, 3, 2}, 0}};
  const auto check = [](DType dtype, DType index, const Case& c) {
    const auto batch = static_cast<int>(c.batch);
    const auto depth = static_cast<int>(c.indices.back());
    // Positions below the smallest size fit every dimension.
    const Tensor indices =
        positions(index, c.indices, *std::min_element(c.params.begin(), c.params.end()));
    OpTest::check(
        [&](const auto& in) { return gather_nd(in[0], in[1], {.batch_dims = c.batch}); },
        {varied(dtype, c.params), indices},
        [&](const std::vector<Array>& in) {
          const int outer = c.indices.rank() - 1;
          const Shape shape =
              c.indices.slice(0, outer) + c.params.slice(batch + depth, c.params.rank());
          return moved(in[0], shape, [&](const Shape& index) {
            Shape source = index.slice(0, batch);
            for (int i = 0; i < depth; ++i)
              source.push_back(static_cast<int64_t>(in[1][index.slice(0, outer) + Shape{i}]));
            return source + index.slice(outer, index.rank());
          });
        });
  };
  for (const DType dtype : every_dtype())
    for (const Case& c : cases)
      for (const DType index : {int32, int64}) check(dtype, index, c);
  check(float32, int32, {{60, 70}, {120000, 2}, 0});

  const Tensor x = varied(float32, {3, 4});
  EXPECT_ERROR(gather_nd(x, {{0, 4}}), InvalidArgumentError, "index 4");
  EXPECT_ERROR(gather_nd(x, {{0, 1}, {-1, 0}}), InvalidArgumentError,
               "index -1 (number 0 of row 1)");
  EXPECT_ERROR(gather_nd(x, {{0, 0, 0}}), InvalidArgumentError, "more than params has dimensions");
  EXPECT_ERROR(gather_nd(x, Tensor(0)), InvalidArgumentError, "at least 1 dimension");
  EXPECT_ERROR(gather_nd(x, {{0.f}}), InvalidArgumentError, "must be int32 or int64");
  EXPECT_ERROR(gather_nd(x, {{0}}, {.batch_dims = 2}), InvalidArgumentError, "batch_dims 2 is out");
  EXPECT_ERROR(gather_nd(x, {{0}}, {.batch_dims = 1}), InvalidArgumentError, "dimension 0 differs");
}

TEST(Gather, TakesUnknownDimensions) {
  const Spec params{float32, {kUnknown, 4, 5}}, indices{int32, {2, kUnknown}};
  EXPECT_EQ(inferred(Gather(), {params, indices}), "[2,?,4,5]");
  EXPECT_EQ(inferred(Gather({.axis = 1, .batch_dims = 1}), {params, indices}), "[2,?,5]");
  EXPECT_EQ(inferred(GatherNd(), {params, {int64, {kUnknown, 2}}}), "[?,5]");
  EXPECT_ERROR(inferred(GatherNd(), {params, indices}), InvalidArgumentError, "must be known");
}
