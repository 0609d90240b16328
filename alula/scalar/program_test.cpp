#include "alula/scalar/program.h"

#include <gtest/gtest.h>

#include "alula/scalar/scalar.h"

using namespace alula;
using namespace alula::scalar;

namespace {

/// The program of x * alpha + y, with y an int32 that is cast.
std::unique_ptr<Program> sample() {
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar y = builder.input(int32);
  const Scalar alpha = builder.parameter(float32);
  const Scalar product = x * alpha;
  const Scalar result = product + cast(y, float32);
  return builder.finish("sample", {&result, 1});
}

}  // namespace

TEST(Program, PrintsOneInstructionALine) {
  EXPECT_EQ(sample()->str(),
            "%0 = input float32 0\n"
            "%1 = input int32 1\n"
            "%2 = parameter float32 0\n"
            "%3 = mul float32 %0 %2\n"
            "%4 = cast float32 %1\n"
            "%5 = add float32 %3 %4\n"
            "return %5\n");
}

TEST(Program, PrintsConstants) {
  Builder builder;
  const Scalar results[] = {builder.constant(float32, 0.25), builder.constant(int8, -3)};
  EXPECT_EQ(builder.finish("constants", results)->str(),
            "%0 = constant float32 0.25\n"
            "%1 = constant int8 -3\n"
            "return %0 %1\n");
}

TEST(Program, KnowsItsInputsAndResults) {
  const std::unique_ptr<Program> program = sample();
  EXPECT_EQ(program->name(), "sample");
  EXPECT_EQ(program->inputs(), (std::vector<DType>{float32, int32}));
  EXPECT_EQ(program->parameter_count(), 1);
  EXPECT_EQ(program->output(), float32);
  EXPECT_FALSE(program->can_fail());
}

TEST(Program, CanFailWhereIntegersAreDivided) {
  const auto can_fail = [](DType dtype, Scalar (*f)(Scalar, Scalar)) {
    Builder builder;
    const Scalar a = builder.input(dtype), b = builder.input(dtype);
    const Scalar result = f(a, b);
    return builder.finish("f", {&result, 1})->can_fail();
  };
  EXPECT_TRUE(can_fail(int32, floor_divide));
  EXPECT_TRUE(can_fail(uint8, floor_modulo));
  EXPECT_TRUE(can_fail(int64, pow));
  EXPECT_FALSE(can_fail(float32, floor_divide));
  EXPECT_FALSE(can_fail(float64, pow));
  EXPECT_FALSE(can_fail(int32, min));
}

TEST(Program, KeepsWhatABackendMadeOfIt) {
  struct Made : Prepared {};
  const std::unique_ptr<Program> program = sample();
  int made = 0;
  const auto make = [&](const Program&) -> std::unique_ptr<Prepared> {
    ++made;
    return std::make_unique<Made>();
  };
  const Prepared& first = program->prepared(DeviceType::kCPU, make);
  EXPECT_EQ(&program->prepared(DeviceType::kCPU, make), &first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(&program->prepared(DeviceType::kSimulated, make), &first);
  EXPECT_EQ(made, 2);
}

TEST(Opcode, HasANameAndOperands) {
  EXPECT_EQ(name_of(Opcode::kInput), "input");
  EXPECT_EQ(name_of(Opcode::kErf), "erf");
  EXPECT_EQ(name_of(Opcode::kLessEqual), "less_equal");
  EXPECT_EQ(name_of(Opcode::kSelect), "select");
  EXPECT_EQ(operand_count(Opcode::kConstant), 0);
  EXPECT_EQ(operand_count(Opcode::kCast), 1);
  EXPECT_EQ(operand_count(Opcode::kNot), 1);
  EXPECT_EQ(operand_count(Opcode::kAdd), 2);
  EXPECT_EQ(operand_count(Opcode::kOr), 2);
  EXPECT_EQ(operand_count(Opcode::kSelect), 3);
}
