#include "alula/ops/pad.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The input's position for one of the padded output; -1 in a constant border.
int64_t source_of(int64_t position, int64_t dim, PadMode mode) {
  if (position >= 0 && position < dim) return position;
  if (mode == PadMode::kConstant) return -1;
  const int64_t edge = mode == PadMode::kReflect ? 0 : 1;
  return position < 0 ? -position - edge : 2 * dim - 2 + edge - position;
}

Array pad_reference(const Array& x, const Paddings& paddings, const PadOptions& options,
                    double value) {
  Shape shape = x.shape;
  for (int i = 0; i < shape.rank(); ++i) shape[i] += paddings[i].before + paddings[i].after;
  Array result(shape);
  for_each_index(shape, [&](const Shape& index) {
    Shape source = index;
    bool inside = true;
    for (int i = 0; i < index.rank(); ++i) {
      source[i] = source_of(index[i] - paddings[i].before, x.shape[i], options.mode);
      inside = inside && source[i] >= 0;
    }
    result[index] = inside ? x[source] : value;
  });
  return result;
}

void check_pad(DType dtype, const Shape& shape, const Paddings& paddings,
               const PadOptions& options) {
  const double value = dtype == string ? 0 : options.constant_values.as_double();
  OpTest::check(
      [&](const auto& in) { return pad(in[0], paddings, options); }, {varied(dtype, shape)},
      [&](const std::vector<Array>& in) { return pad_reference(in[0], paddings, options, value); });
}

}  // namespace

OP_TEST(pad) {
  const std::vector<std::pair<Shape, Paddings>> cases = {
      {{}, {}},
      {{5}, {{1, 2}}},
      {{5}, {{4, 4}}},
      {{3, 4}, {{1, 1}, {2, 3}}},
      {{3, 4}, {{0, 0}, {2, 0}}},
      {{3, 4}, {{0, 2}, {0, 0}}},
      {{2, 5, 7, 3}, {{0, 0}, {1, 2}, {3, 1}, {0, 0}}},
      {{0, 3}, {{0, 0}, {1, 1}}},
      {{100, 120}, {{17, 33}, {7, 15}}}};
  for (const DType dtype : every_dtype())
    for (const auto& [shape, paddings] : cases)
      for (const PadMode mode : {PadMode::kConstant, PadMode::kReflect, PadMode::kSymmetric}) {
        check_pad(dtype, shape, paddings, {.mode = mode});
        if (dtype != string)
          check_pad(dtype, shape, paddings, {.mode = mode, .constant_values = 1});
      }
  check_pad(float64, {5}, {{5, 5}}, {.mode = PadMode::kSymmetric});
  check_pad(float64, {1, 2}, {{1, 1}, {0, 2}}, {.mode = PadMode::kSymmetric});
  check_pad(float32, {0, 3}, {{2, 1}, {1, 1}}, {.constant_values = 2.5});
  check_pad(float32, {5}, {{5, 5}}, {.mode = PadMode::kSymmetric});
  check_pad(float32, {400, 300}, {{1, 1}, {1, 1}}, {.constant_values = -1});
  check_pad(float32, {400, 300}, {{1, 1}, {1, 1}}, {.mode = PadMode::kReflect});

  const Tensor x = varied(int32, {3, 4});
  EXPECT_ERROR(pad(x, {{1, 1}}), InvalidArgumentError, "a pair for each dimension");
  EXPECT_ERROR(pad(x, {{1, -1}, {0, 0}}), InvalidArgumentError, "cannot be negative");
  EXPECT_ERROR(pad(x, {{3, 0}, {0, 0}}, {.mode = PadMode::kReflect}), InvalidArgumentError,
               "at most 2 can be added");
  EXPECT_ERROR(pad(x, {{0, 0}, {0, 5}}, {.mode = PadMode::kSymmetric}), InvalidArgumentError,
               "at most 4 can be added");
  EXPECT_ERROR(pad(x, {{0, 0}, {0, 0}}, {.constant_values = 2.5}), InvalidArgumentError,
               "2.5 is not a value of int32");
  EXPECT_ERROR(pad(x, {{INT64_MAX, 0}, {0, 0}}), InvalidArgumentError, "too many elements");
  EXPECT_EQ(inferred(Pad({{1, 1}, {2, 0}}), {{float32, {kUnknown, 3}}}), "[?,5]");
}
