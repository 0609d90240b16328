#include "alula/ops/one_hot.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_one_hot(DType index, const Shape& shape, int64_t depth, const OneHotOptions& options) {
  OpTest::check([&](const auto& in) { return one_hot(in[0], depth, options); },
                {random_tensor({index, shape}, {.from = -2, .to = static_cast<double>(depth + 1)})},
                [&](const std::vector<Array>& in) {
                  const int axis = normalize_axis("", options.axis, shape.rank() + 1);
                  Array result(shape.with_inserted(axis, depth));
                  for_each_index(result.shape, [&](const Shape& at) {
                    const bool on = in[0][at.without(axis)] == static_cast<double>(at[axis]);
                    result[at] = (on ? options.on_value : options.off_value).as_double();
                  });
                  return result;
                },
                options.dtype);
}

}  // namespace

OP_TEST(one_hot) {
  for (const DType index : {uint8, int8, int32, int64})
    for (const DType dtype : every_dtype()) {
      if (dtype == string) continue;
      check_one_hot(index, {}, 3, {.dtype = dtype});
      check_one_hot(index, {5}, 4, {.dtype = dtype});
      check_one_hot(index, {5}, 0, {.dtype = dtype});
      check_one_hot(index, {0}, 3, {.dtype = dtype});
      check_one_hot(index, {3, 7}, 15, {.axis = 0, .dtype = dtype});
      check_one_hot(index, {3, 7}, 17, {.axis = 1, .dtype = dtype});
    }
  check_one_hot(int32, {9}, 5, {.on_value = 2.5, .off_value = -1});
  check_one_hot(int32, {1500}, 100, {});
  const Tensor x = {0, 1};
  EXPECT_ERROR(one_hot(x, -1), InvalidArgumentError, "cannot be negative");
  EXPECT_ERROR(one_hot(x, 3, {.axis = 2}), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(one_hot({1.f}, 3), InvalidArgumentError, "takes indices of");
  EXPECT_ERROR(one_hot(x, 3, {.on_value = 300, .dtype = uint8}), InvalidArgumentError,
               "300 is not a value of uint8");
  EXPECT_EQ(inferred(OneHot(3), {{int32, {kUnknown}}}), "[?,3]");
}

TEST(Eye, IsTheIdentity) {
  expect_equal(eye(2), Array({2, 2}, {1, 0, 0, 1}), float32);
  expect_equal(eye(2, {.num_columns = 3, .dtype = boolean}), Array({2, 3}, {1, 0, 0, 0, 1, 0}),
               boolean);
  expect_equal(eye(1, {.batch_shape = {2, 1}, .dtype = int32}), Array({2, 1, 1, 1}, {1, 1}), int32);
  EXPECT_EQ(eye(0).shape(), (Shape{0, 0}));
  EXPECT_ERROR(eye(-1), InvalidArgumentError, "cannot be negative");
}
