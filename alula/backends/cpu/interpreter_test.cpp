#include "alula/backends/cpu/interpreter.h"

#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "alula/ops/elementwise.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::scalar;
using namespace alula::testing;

namespace {

/// Runs a program through the op that carries it.
std::vector<Tensor> run(const Program& program, const std::vector<Tensor>& inputs,
                        std::initializer_list<double> parameters = {}) {
  ElementwiseOp op(program);
  std::copy(parameters.begin(), parameters.end(), op.parameters.begin());
  const Tensors outputs = call_all(op, inputs);
  return {outputs.begin(), outputs.end()};
}

/// 0, 1, 2, … in float32.
Tensor counting(const Shape& shape, int start = 0) {
  std::vector<float> values(shape.size());
  std::iota(values.begin(), values.end(), static_cast<float>(start));
  return Tensor(values, shape);
}

/// Checks every element of a float32 tensor against a function of its position.
template <class F>
void expect_each(const Tensor& actual, F&& expected) {
  const auto values = actual.span<float>();
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], expected(static_cast<int64_t>(i))) << "element " << i;
}

const std::vector<int64_t> kSizes = {0, 1, 7, 16, 1000, 1024, 1025, 5000, 300001};

}  // namespace

TEST(Interpreter, HasSeveralOutputsOfDifferentDTypes) {
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32);
  const Scalar sum = x + y;
  const Scalar results[] = {sum, cast(sum * 2, int64), x < y};
  const auto program = builder.finish("several", results);
  for (int64_t size : kSizes) {
    const Tensor a = counting({size}), b = counting({size}, 1);
    const std::vector<Tensor> out = run(*program, {a, b});
    expect_each(out[0], [](int64_t i) { return static_cast<float>(2 * i + 1); });
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(out[1].span<int64_t>()[i], 2 * (2 * i + 1));
      ASSERT_TRUE(out[2].span<bool>()[i]);
    }
  }
}

TEST(Interpreter, CopiesResultsThatAreInputsConstantsOrRepeated) {
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar sum = x + 1;
  const Scalar results[] = {x,   builder.constant(float32, 5), sum,
                            sum, builder.parameter(float32),   x};
  const auto program = builder.finish("copies", results);
  for (int64_t size : kSizes) {
    const std::vector<Tensor> out = run(*program, {counting({size})}, {0.5});
    expect_each(out[0], [](int64_t i) { return static_cast<float>(i); });
    expect_each(out[1], [](int64_t) { return 5.f; });
    expect_each(out[2], [](int64_t i) { return static_cast<float>(i + 1); });
    expect_each(out[3], [](int64_t i) { return static_cast<float>(i + 1); });
    expect_each(out[4], [](int64_t) { return 0.5f; });
    expect_each(out[5], [](int64_t i) { return static_cast<float>(i); });
  }
}

TEST(Interpreter, ResultsMayTakeThePlaceOfInputs) {
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32), z = builder.input(float32);
  const Scalar sum = x + y;
  // Each is read after an earlier result is known; two are exchanged.
  const Scalar results[] = {sum, x * z, y};
  const auto program = builder.finish("in_place", results);
  for (int64_t size : kSizes) {
    Tensor inputs[] = {counting({size}), counting({size}, 1), counting({size}, 2)};
    const Tensor* refs[] = {&inputs[0], &inputs[1], &inputs[2]};
    for (const std::array<int, 3>& order :
         {std::array{0, 1, 2}, std::array{1, 2, 0}, std::array{2, 0, 1}, std::array{2, 1, 0}}) {
      std::vector<Tensor> before;
      for (const Tensor& input : inputs) before.push_back(Tensor(input.span<float>(), {size}));
      const std::vector<Tensor> expected = run(*program, before);
      Tensor* targets[] = {&inputs[order[0]], &inputs[order[1]], &inputs[order[2]]};
      const void* place = inputs[0].data();
      dispatch_into(ElementwiseOp(*program), TensorRefs(refs), targets);
      EXPECT_EQ(inputs[0].data(), place);
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(targets[k]->to_vector<float>(), expected[k].to_vector<float>()) << size;
    }
  }
}

TEST(Interpreter, ComputesLongChains) {
  Builder builder;
  const Scalar x = builder.input(float32);
  // Values that live on while others come and go.
  const Scalar a = x + 1, b = a * 2, c = b - x, d = c * a;
  const Scalar result = d + b + select(x < 3, a, c) + max(min(x, 10), 2);
  const auto program = builder.finish("chain", {&result, 1});
  for (int64_t size : kSizes)
    expect_each(run(*program, {counting({size})})[0], [](int64_t i) {
      const auto x = static_cast<float>(i);
      const float a = x + 1, b = a * 2, c = b - x, d = c * a;
      return d + b + (x < 3 ? a : c) + std::max(std::min(x, 10.f), 2.f);
    });
}

TEST(Interpreter, TakesSingleElementsForAll) {
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32), z = builder.input(float32);
  const Scalar result = (x - y) * z;
  const auto program = builder.finish("uniform", {&result, 1});
  const Tensor two = Tensor(2.f), three = Tensor({3.f});
  for (int64_t size : kSizes) {
    const Tensor v = counting({size});
    expect_each(run(*program, {v, two, three})[0],
                [](int64_t i) { return (static_cast<float>(i) - 2) * 3; });
    expect_each(run(*program, {two, v, three})[0],
                [](int64_t i) { return (2 - static_cast<float>(i)) * 3; });
    expect_each(run(*program, {two, three, v})[0],
                [](int64_t i) { return -static_cast<float>(i); });
  }
  expect_each(run(*program, {two, three, two})[0], [](int64_t) { return -2.f; });
}

TEST(Interpreter, TakesParameters) {
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar scale = builder.parameter(float32), offset = builder.parameter(float32);
  const Scalar result = x * scale + offset;
  const auto program = builder.finish("parameters", {&result, 1});
  for (int64_t size : kSizes) {
    expect_each(run(*program, {counting({size})}, {2, 5})[0],
                [](int64_t i) { return static_cast<float>(2 * i + 5); });
    expect_each(run(*program, {counting({size})}, {-1, 0})[0],
                [](int64_t i) { return -static_cast<float>(i); });
  }
}

TEST(Interpreter, GoesByRows) {
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32);
  const Scalar result = x * 1000 + y;
  const auto program = builder.finish("rows", {&result, 1});
  for (int64_t rows : {1, 2, 5, 300})
    for (int64_t row : {1, 3, 127, 128, 129, 1100}) {
      const Tensor x_all = counting({rows, row}), y_row = counting({row}),
                   y_column = counting({rows, 1});
      expect_each(run(*program, {x_all, y_row})[0], [&](int64_t i) {
        return static_cast<float>(i) * 1000 + static_cast<float>(i % row);
      });
      expect_each(run(*program, {x_all, y_column})[0], [&](int64_t i) {
        return static_cast<float>(i) * 1000 + static_cast<float>(i / row);
      });
      expect_each(run(*program, {y_row, y_column})[0], [&](int64_t i) {
        return static_cast<float>(i % row) * 1000 + static_cast<float>(i / row);
      });
    }
}

TEST(Interpreter, RepeatsMiddleDimensions) {
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32);
  const Scalar result = x + y;
  const auto program = builder.finish("middle", {&result, 1});
  for (int64_t inner : {2, 200})
    expect_each(run(*program, {counting({3, 4, inner}), counting({3, 1, inner})})[0],
                [&](int64_t i) {
                  const int64_t outer = i / (4 * inner);
                  return static_cast<float>(i + outer * inner + i % inner);
                });
}

TEST(Interpreter, ComputesInFloat32For16Bits) {
  Builder builder;
  const Scalar x = builder.input(float16);
  // In float16 itself, 1 would be lost beside 4096.
  const Scalar result = cast(cast(x, float32) + 1 - 4096, float16);
  const auto program = builder.finish("half", {&result, 1});
  const Tensor out = run(*program, {constant({4096, 4100}, float16)})[0];
  expect_equal(out, {{2}, {1, 5}}, float16);
}

TEST(Interpreter, ReportsFaultsOfAnyElement) {
  Builder builder;
  const Scalar x = builder.input(int32), y = builder.input(int32);
  const Scalar result = floor_divide(x + 1, y) * 2;
  const auto program = builder.finish("faulty", {&result, 1});
  for (int64_t size : {1, 1000, 300001}) {
    std::vector<int> divisors(size, 2);
    const Tensor ones(std::vector<int>(size, 1));
    EXPECT_EQ(run(*program, {ones, Tensor(divisors)})[0].span<int>()[size - 1], 2);
    divisors[size / 2] = 0;
    EXPECT_ERROR(run(*program, {ones, Tensor(divisors)}), InvalidArgumentError,
                 "faulty: division by zero");
  }
  // What happened in one call is forgotten in the next.
  EXPECT_EQ(run(*program, {Tensor({3}), Tensor({2})})[0].item<int>(), 4);
}

TEST(Interpreter, ReportsNegativePowers) {
  Builder builder;
  const Scalar x = builder.input(int8), y = builder.input(int8);
  const Scalar result = scalar::pow(x, y);
  const auto program = builder.finish("power", {&result, 1});
  EXPECT_EQ(run(*program, {constant({3}, int8), constant({4}, int8)})[0].item<int8_t>(), 81);
  EXPECT_ERROR(run(*program, {constant({3}, int8), constant({-1}, int8)}), InvalidArgumentError,
               "power: an integer cannot be raised to a negative power");
}

TEST(Interpreter, StreamsLargeResults) {
  const int64_t size = (16 << 20) / sizeof(float) + 5;
  const Tensor x = counting({size});
  Builder builder;
  const Scalar a = builder.input(float32);
  const Scalar result = (a + 1) * 0.5;
  const auto program = builder.finish("stream", {&result, 1});
  expect_each(run(*program, {x})[0], [](int64_t i) { return static_cast<float>(i + 1) * 0.5f; });
  {
    Builder copying;
    const Scalar b = copying.input(float32);
    expect_each(run(*copying.finish("copy", {&b, 1}), {x})[0],
                [](int64_t i) { return static_cast<float>(i); });
  }
  // By rows nothing is streamed, and short rows are copied together.
  Builder rows;
  const Scalar b = rows.input(float32), c = rows.input(float32);
  const Scalar sum = b + c;
  const auto adding = rows.finish("add", {&sum, 1});
  for (int64_t row : {5, 1000})
    expect_each(run(*adding, {counting({(4 << 20) / row, row}), counting({row})})[0],
                [&](int64_t i) { return static_cast<float>(i) + static_cast<float>(i % row); });
}

TEST(Interpreter, IsMadeOnceAProgram) {
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar result = x + 1;
  const auto program = builder.finish("once", {&result, 1});
  EXPECT_EQ(&cpu::Code::of(*program), &cpu::Code::of(*program));
}

TEST(Interpreter, SaysWhatItCannotDo) {
  Builder builder;
  const Scalar x = builder.input(int32);
  const Scalar result = exp(x);
  const auto program = builder.finish("exp_of_int", {&result, 1});
  EXPECT_ERROR(run(*program, {Tensor({1})}), InternalError,
               "exp_of_int: the CPU has no routine for exp of int32");
}
