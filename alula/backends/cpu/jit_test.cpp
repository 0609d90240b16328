#include "alula/backends/cpu/jit_test.h"

#include <chrono>

#include "alula/ops/table.h"
#include "alula/scalar/gradient.h"

using namespace alula;
using namespace alula::cpu;
using namespace alula::cpu::testing;
using namespace alula::scalar;

TEST(Jit, ComputesElementwiseFunctionsAsTheInterpreterDoes) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(1);
  std::string left_out;
  for (const Elementwise* function : elementwise_table())
    for (DType dtype : {float32, float16, bfloat16, int32, boolean}) {
      if (!function->dtypes().contains(dtype)) continue;
      const Program& program = function->program(dtype);
      const bool compiled = compare(program, random);
      if (!compiled && dtype == float32) left_out += std::string(" ") + function->name();
      if (!is_floating(dtype)) continue;
      for (uint64_t wanted = 1; wanted < uint64_t{1} << program.inputs().size(); ++wanted)
        if (const Program* gradient = gradient_of(program, wanted).program.get())
          compare(*gradient, random);
      ASSERT_FALSE(HasFailure()) << function->name();
    }
  EXPECT_EQ(left_out, " mod polygamma pow zeta");
}

TEST(Jit, ComputesEveryLengthAndNoFurther) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(2);
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(boolean), z = builder.input(float16);
  const Scalar sum = x + cast(z, float32);
  const Scalar results[] = {select(y, sum, exp(x)), sum < x && y, cast(sum, float16),
                            cast(sum, bfloat16), cast(sum, int32)};
  const auto program = builder.finish("lengths", results);
  for (int64_t n = 0; n <= 100; ++n)
    for (size_t shift : {0, 1, 2, 4})
      for (uint64_t ones : {0, 1, 2, 4, 7})
        ASSERT_TRUE(compare(*program, {.n = n, .ones = ones, .shift = shift}, random));
}

TEST(Jit, ComputesAnOptimizersStepInPlace) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(6);
  Builder builder;
  const Scalar rate = builder.input(float32), w = builder.input(float32),
               g = builder.input(float32), m = builder.input(float32), v = builder.input(float32);
  const Scalar beta = builder.parameter(float32);
  const Scalar new_m = m + (g - m) * (1 - beta), new_v = v + (g * g - v) * beta;
  const Scalar results[] = {w - new_m * rate / (sqrt(new_v) + 1e-7), new_m, new_v};
  const auto program = builder.finish("adam", results);
  for (int64_t n : {0, 1, 15, 16, 17, 100, 1000})
    for (bool in_place : {false, true})
      EXPECT_TRUE(compare(*program, {.n = n, .ones = 1, .in_place = in_place}, random));
}

TEST(Jit, KeepsManyValuesOnTheStack) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(4);
  for (int inputs : {3, 20, 40}) {
    Builder builder;
    std::vector<Scalar> values, truths;
    for (int i = 0; i < inputs; ++i) values.push_back(builder.input(float32));
    for (int i = 0; i < inputs; ++i) truths.push_back(values[i] < values[(i + 1) % inputs]);
    for (int i = 0; i < 60; ++i)
      values.push_back(values[i % inputs] * values.back() + abs(values[i]));
    values.push_back(tanh(values.back()));
    Scalar sum = values[0];
    for (size_t i = 0; i < values.size(); ++i)
      sum = select(truths[i % truths.size()], sum + values[i], sum);
    const Scalar results[] = {sum, values.back(), values[1]};
    const auto program = builder.finish("many", results);
    EXPECT_TRUE(compare(*program, random, 8));
  }
}

TEST(Jit, StopsAtAnglesThatAreTooLarge) {
  SKIP_WITHOUT_MACHINE_CODE();
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar result = sin(x) + cos(x);
  const auto program = builder.finish("angles", {&result, 1});
  std::vector<float> in(100, 1), out(100, 7);
  in[70] = 1e6f;
  for (Target target : targets()) {
    const auto code = MachineCode::make(*program, 0, Stores::kPlain, target);
    std::byte* addresses[] = {reinterpret_cast<std::byte*>(in.data()),
                              reinterpret_cast<std::byte*>(out.data())};
    const int64_t done = (*code)(addresses, nullptr, 100);
    EXPECT_LE(done, 70);
    EXPECT_GT(done + code->step(), 70);
    EXPECT_EQ(out[static_cast<size_t>(done)], 7);
  }
}

TEST(Jit, WritesPastTheCaches) {
  SKIP_WITHOUT_MACHINE_CODE();
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar result = x * 2 + 1;
  const auto program = builder.finish("stream", {&result, 1});
  for (Target target : targets())
    for (int64_t n : {0, 3, 64, 1000}) {
      const auto code = MachineCode::make(*program, 0, Stores::kStreaming, target);
      std::vector<float> in(static_cast<size_t>(n) + 1);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
      alignas(64) float out[1024] = {};
      std::byte* addresses[] = {reinterpret_cast<std::byte*>(in.data()),
                                reinterpret_cast<std::byte*>(out)};
      const auto words = words_of(*program, {});
      EXPECT_EQ((*code)(addresses, words.data(), n), n);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], static_cast<float>(2 * i + 1));
      EXPECT_EQ(out[n], 0);
    }
}

TEST(Jit, LeavesOtherTypesToTheInterpreter) {
  Random random(5);
  for (DType dtype : {float64, int64, int16, uint32}) {
    Builder builder;
    const Scalar x = builder.input(dtype);
    const Scalar result = x + x;
    const auto program = builder.finish("other", {&result, 1});
    EXPECT_EQ(MachineCode::make(*program, 0, Stores::kPlain), nullptr);
  }
}

TEST(Jit, CompilesQuickly) {
  SKIP_WITHOUT_MACHINE_CODE();
  Builder builder;
  const Scalar x = builder.input(float32), y = builder.input(float32);
  Scalar value = x;
  for (int i = 0; i < 9; ++i) value = value * y + x;
  const Scalar result = tanh(value) * y;
  const auto program = builder.finish("twenty", {&result, 1});
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto code = MachineCode::make(*program, 0, Stores::kPlain);
    const auto end = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double, std::micro>(end - start).count());
  }
  EXPECT_LT(best, 1000);  // on a quiet machine about 50
  RecordProperty("microseconds", static_cast<int>(best));
}
