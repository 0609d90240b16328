#include "alula/ops/multi_elementwise.h"

#include "alula/scalar/scalar.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// From (rate; w, g, m, s): m' = m * 0.5 + g, w' = w - rate * m' * s, and the difference of w and m
/// before the step, so that inputs are read after results are known.
std::unique_ptr<scalar::Program> make_program(DType dtype) {
  scalar::Builder builder;
  const DType computed = is_half(dtype) ? float32 : dtype;
  Scalar in[] = {builder.input(dtype), builder.input(dtype), builder.input(dtype),
                 builder.input(dtype), builder.input(dtype)};
  for (Scalar& x : in) x = scalar::cast(x, computed);
  const auto& [rate, w, g, m, s] = in;
  const Scalar next = m * builder.parameter(computed) + g;
  const Scalar results[] = {scalar::cast(w - rate * next * s, dtype), scalar::cast(next, dtype),
                            scalar::cast(w - m, dtype)};
  return builder.finish("multi_elementwise", results);
}

const scalar::Program& program_of(DType dtype) {
  static std::map<DType, std::unique_ptr<scalar::Program>> made;
  std::unique_ptr<scalar::Program>& program = made[dtype];
  if (program == nullptr) program = make_program(dtype);
  return *program;
}

MultiElementwise make_op(DType dtype) {
  MultiElementwise op(program_of(dtype));
  op.shared = 1;
  op.scalars = 1;
  op.parameters.push_back(0.5);
  return op;
}

Array reference(const std::vector<Array>& in, size_t group, size_t result) {
  const Array &w = in[1 + 4 * group], &g = in[2 + 4 * group], &m = in[3 + 4 * group];
  const double rate = in[0].values[0], s = in[4 + 4 * group].values[0];
  Array out(w.shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double next = m.values[i] * 0.5 + g.values[i];
    out.values[i] = result == 0   ? w.values[i] - rate * next * s
                    : result == 1 ? next
                                  : w.values[i] - m.values[i];
  }
  return out;
}

std::vector<Tensor> inputs_of(DType dtype, const std::vector<Shape>& shapes) {
  std::vector<Tensor> inputs = {random_tensor({dtype, {}})};
  for (const Shape& shape : shapes)
    for (int k = 0; k < 4; ++k) inputs.push_back(random_tensor({dtype, k == 3 ? Shape() : shape}));
  return inputs;
}

const std::vector<Shape> kShapes = {{3, 5}, {}, {0}, {1}, {70, 40}, {2}, {1025}};

}  // namespace

OP_TEST(multi_elementwise) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (size_t group = 0; group < kShapes.size(); ++group)
      for (size_t result = 0; result < 3; ++result)
        OpTest::check(
            [&](const auto& in) { return call_all(make_op(dtype), in)[3 * group + result]; },
            inputs_of(dtype, kShapes), [&](const auto& in) { return reference(in, group, result); },
            dtype, {.scale = 10, .gradient = false});

  const MultiElementwise op = make_op(float32);
  const std::vector<Tensor> good = inputs_of(float32, {{2}, {3}});
  EXPECT_EQ(call_all(op, std::span(good.data(), 1)).size(), 0u);
  EXPECT_ERROR(
      call_all(op, std::span(good.data(), 4)), InvalidArgumentError,
      "multi_elementwise: takes 1 shared scalars and 4 tensors for each group. Got 4 inputs");
  std::vector<Tensor> bad = good;
  bad[6] = random_tensor({float32, {4}});
  EXPECT_ERROR(call_all(op, bad), InvalidArgumentError,
               "multi_elementwise: input 6 must be of shape [3]. Got float32[4]");
  bad = good;
  bad[0] = random_tensor({float32, {1}});
  EXPECT_ERROR(call_all(op, bad), InvalidArgumentError, "input 0 must be of shape []");
  bad = good;
  bad[2] = random_tensor({float64, {2}});
  EXPECT_ERROR(call_all(op, bad), InvalidArgumentError, "input 2 must be float32");
  MultiElementwise without(program_of(float32));
  without.shared = without.scalars = 1;
  EXPECT_ERROR(call_all(without, good), InvalidArgumentError, "takes 1 parameters. Got 0");
}

TEST(MultiElementwise, InPlaceEqualsOutOfPlace) {
  std::vector<Shape> shapes = kShapes;
  shapes.push_back({300'001});  // shared among threads
  for (DType dtype : {float32, bfloat16}) {
    std::vector<Tensor> inputs = inputs_of(dtype, shapes);
    const MultiElementwise op = make_op(dtype);
    const Tensors expected = call_all(op, inputs);
    std::vector<const Tensor*> refs;
    std::vector<Tensor*> targets;
    std::vector<const void*> places;
    for (Tensor& input : inputs) refs.push_back(&input);
    for (size_t i = 0; i < shapes.size(); ++i)
      for (size_t k : {1, 3, 2}) {  // w, m and, of no further use, g
        targets.push_back(&inputs[4 * i + k]);
        places.push_back(targets.back()->data());
      }
    dispatch_into(op, TensorRefs(refs), targets);
    for (size_t i = 0; i < targets.size(); ++i) {
      EXPECT_EQ(targets[i]->data(), places[i]);
      expect_equal(*targets[i], to_array(expected[i]), dtype, {.relative = 1e-30});
    }
  }
}
