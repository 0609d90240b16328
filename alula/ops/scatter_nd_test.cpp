#include "alula/ops/scatter_nd.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(scatter_nd) {
  struct Case {
    Shape indices, shape;
    double last = 3;  // of the positions along each dimension
  };
  const std::vector<Case> cases = {{{3, 1}, {5}},        {{7, 1}, {5, 3}},   {{2, 3, 2}, {5, 5}},
                                   {{4, 2}, {5, 5, 17}}, {{0, 1}, {5}},      {{1}, {4}},
                                   {{2, 0}, {3}},        {{40, 1}, {7, 33}}, {{3, 1}, {5, 0}}};
  const auto check = [](DType dtype, DType index, const Case& c) {
    const int outer = c.indices.rank() - 1;
    const auto depth = static_cast<int>(c.indices.back());
    const Shape updates = c.indices.slice(0, outer) + c.shape.slice(depth, c.shape.rank());
    OpTest::check(
        [&](const auto& in) { return scatter_nd(in[0], in[1], c.shape); },
        {random_tensor({index, c.indices}, {.from = 0, .to = c.last}),
         random_tensor({dtype, updates}, {.from = 0, .to = 2})},
        [&](const std::vector<Array>& in) {
          Array result(c.shape);
          for_each_index(updates, [&](const Shape& at) {
            Shape target;
            for (int i = 0; i < depth; ++i)
              target.push_back(static_cast<int64_t>(in[0][at.slice(0, outer) + Shape{i}]));
            double& sum = result[target + at.slice(outer, at.rank())];
            sum = dtype == boolean ? std::max(sum, in[1][at]) : sum + in[1][at];
          });
          return result;
        },
        dtype, {.relative = is_half(dtype) ? 8 * tolerance_of(dtype) : 0, .scale = 4});
  };
  for (const DType dtype : every_dtype())
    for (const Case& c : cases)
      for (const DType index : {int32, int64})
        if (dtype != string) check(dtype, index, c);
  check(float32, int32, {{100, 1}, {4, 3000}});
  // Many updates: a few for each slice, and many for few.
  check(float32, int32, {{6000, 1}, {5000, 2}, 4999});
  check(float64, int64, {{9000, 1}, {70'000}, 69'999});
  check(int16, int32, {{2, 3000, 2}, {300, 250, 1}, 249});
  check(int64, int64, {{6000, 1}, {4, 3}});
  check(boolean, int32, {{5000, 1}, {7000}, 6999});

  const Tensor ones = random_tensor({float32, {2}}, {.from = 1, .to = 1});
  const Tensor at = {{0}, {4}};
  EXPECT_ERROR(scatter_nd(at, ones, {4}), InvalidArgumentError, "index 4 (number 0 of row 1)");
  EXPECT_ERROR(scatter_nd(at, ones, {5, 2}), InvalidArgumentError, "do not fit");
  EXPECT_ERROR(scatter_nd({{0, 0}, {1, 1}}, ones, {5}), InvalidArgumentError,
               "more than the shape");
  EXPECT_ERROR(scatter_nd({{0.f}, {1.f}}, ones, {5}), InvalidArgumentError,
               "must be int32 or int64");
  EXPECT_ERROR(scatter_nd(Tensor(0), ones, {5}), InvalidArgumentError, "at least 1 dimension");
  EXPECT_ERROR(scatter_nd(at, {"a", "b"}, {5}), InvalidArgumentError, "takes updates of");
  EXPECT_ERROR(scatter_nd(at, ones, {1LL << 62, 4}), InvalidArgumentError, "do not fit");

  const Spec open{int32, {kUnknown, 1}};
  EXPECT_EQ(inferred(ScatterNd({5, 3}), {open, {float32, {kUnknown, 3}}}), "[5,3]");
}
