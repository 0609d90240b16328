#include "alula/ops/gather_elementwise.h"

#include "alula/ops/data_movement_test.h"
#include "alula/scalar/compose.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// picked * scale + bias + more + column, in float32, and what was picked.
const scalar::Program& program(DType dtype) {
  scalar::Builder b;
  const Scalar picked = b.input(dtype), scale = b.input(float32), bias = b.input(float32),
               more = b.input(float32), column = b.input(float32);
  const Scalar result = cast(picked, float32) * scale + bias + more + column;
  return scalar::interned(b.finish("gather_elementwise", std::vector{result, picked}));
}

struct Case {
  Shape params, indices;
  int64_t axis = 0, batch = 0;
};

Array picked_slices(const Array& params, const Array& indices, const Case& c) {
  const Shape &p = c.params, &k = c.indices;
  const auto axis = static_cast<int>(c.axis), batch = static_cast<int>(c.batch);
  const int chosen = k.rank() - batch;
  const Shape shape = p.slice(0, axis) + k.slice(batch, k.rank()) + p.slice(axis + 1, p.rank());
  return moved(params, shape, [&](const Shape& index) {
    const auto at =
        static_cast<int64_t>(indices[index.slice(0, batch) + index.slice(axis, axis + chosen)]);
    return index.slice(0, axis) + Shape{at} + index.slice(axis + chosen, index.rank());
  });
}

void check_case(DType dtype, DType index, const Case& c) {
  SCOPED_TRACE(fmt::format("{} {} of {}[{}]", c.indices, index, dtype, c.params));
  const GatherElementwise op(Gather({.axis = c.axis, .batch_dims = c.batch}), program(dtype));
  const double last = static_cast<double>(c.params[static_cast<int>(c.axis)] - 1);
  const Tensor params = varied(dtype, c.params),
               indices = random_tensor({index, c.indices}, {.from = 0, .to = last});
  const Shape shape = gather(params, indices, op.gather).shape();
  const Shape row = shape.rank() == 0 ? Shape{} : Shape{shape.back()};
  const Shape column = shape.rank() == 0 ? Shape{} : shape.slice(0, shape.rank() - 1) + Shape{1};
  const auto run = [&](int part) {
    return [&op, part](const std::vector<Tensor>& in) { return call_all(op, in)[part]; };
  };
  const std::vector<Tensor> inputs = {params,
                                      indices,
                                      random_tensor({float32, {}}),
                                      random_tensor({float32, row}),
                                      random_tensor({float32, shape}),
                                      random_tensor({float32, column})};
  OpTest::check(run(0), inputs,
                [&](const std::vector<Array>& in) {
                  Array result = picked_slices(in[0], in[1], c);
                  const auto columns = std::max<size_t>(in[3].values.size(), 1);
                  for (size_t i = 0; i < result.values.size(); ++i)
                    result.values[i] = result.values[i] * in[2].values[0] +
                                       in[3].values[i % columns] + in[4].values[i] +
                                       in[5].values[i / columns];
                  return result;
                },
                float32, {.scale = 400, .gradient = false});
  OpTest::check(run(1), inputs,
                [&](const std::vector<Array>& in) { return picked_slices(in[0], in[1], c); }, dtype,
                {.gradient = false});
}

/// A function of nothing but what is picked: neighbours may come from several rows.
void check_alone(DType dtype, const Case& c) {
  scalar::Builder b;
  const Scalar result = cast(b.input(dtype), float32) * 0.5;
  const GatherElementwise op(Gather({.axis = c.axis, .batch_dims = c.batch}),
                             scalar::interned(b.finish("gather+halved", {&result, 1})));
  const double last = static_cast<double>(c.params[static_cast<int>(c.axis)] - 1);
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return call_all(op, in)[0]; },
      {varied(dtype, c.params), random_tensor({int64, c.indices}, {.from = 0, .to = last})},
      [&](const std::vector<Array>& in) {
        Array result = picked_slices(in[0], in[1], c);
        for (double& value : result.values) value *= 0.5;
        return result;
      },
      float32, {.scale = 100, .gradient = false});
}

}  // namespace

OP_TEST(gather_elementwise) {
  const std::vector<Case> cases = {{{5}, {}},
                                   {{5}, {7}},
                                   {{5}, {0}},
                                   {{5, 3}, {2, 4}},
                                   {{5, 8}, {6}},
                                   {{9, 4, 3}, {5}},
                                   {{5, 3}, {4}, 1},
                                   {{4, 5, 3}, {4, 2}, 1, 1},
                                   {{2, 3, 4, 5}, {2, 3}, 2, 1},
                                   {{3, 0}, {2}}};
  for (const DType dtype : every_dtype())
    if (GatherElementwise::kDTypes.contains(dtype))
      for (const Case& c : cases) check_case(dtype, c.params.rank() % 2 == 0 ? int32 : int64, c);
  check_case(float32, int64, {{1000, 120}, {1500}});    // several rows a part
  check_case(uint8, int32, {{40, 10'001}, {30}});       // several parts a row
  check_case(float64, int32, {{100, 9000}, {300}, 1});  // single elements
  check_case(float16, int32, {{30, 100, 91}, {17}});    // several parts a slice
  check_alone(uint8, {{300, 100, 101}, {210}});         // large
  check_alone(uint8, {{60, 28, 28}, {32}});
  check_alone(uint8, {{60, 28, 28, 1}, {10}});
  check_alone(int16, {{60, 7, 3}, {11}});
}

TEST(GatherElementwise, SaysWhatItTakes) {
  const GatherElementwise op(Gather(), program(float32));
  const Tensor x = random_tensor({float32, {3, 4}}), one = random_tensor({float32, {}}),
               row = random_tensor({float32, {4}}), column = random_tensor({float32, {2, 1}}),
               column_of_3 = random_tensor({float32, {3, 1}});
  const Tensor at({0, 2});
  EXPECT_EQ(call_all(op, std::vector{x, at, one, row, one, column})[0].shape(), (Shape{2, 4}));
  EXPECT_ERROR(call_all(op, std::vector{x, at}), InvalidArgumentError, "takes 6 inputs");
  EXPECT_ERROR(call_all(op, std::vector{x, at, one, column_of_3, one, one}), InvalidArgumentError,
               "input 3 must be float32 and as large as what is picked");
  EXPECT_ERROR(
      call_all(GatherElementwise(Gather(), program(uint8)), std::vector{x, at, one, row, one, one}),
      InvalidArgumentError, "a function of the params' dtype");
  EXPECT_ERROR(call_all(op, std::vector{x, Tensor({0, 3}), one, row, one, one}),
               InvalidArgumentError, "gather: index 3 is out of range: the axis has 3 elements");
  EXPECT_ERROR(call_all(op, std::vector{x, Tensor({-1}), one, row, one, one}), InvalidArgumentError,
               "gather: index -1 is out of range");
}
