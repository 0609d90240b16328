#include "alula/ops/strings_number.h"

#include <cmath>

#include "alula/ops/strings_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double number(const char* shown, DType dtype) {
  return to_array(strings::to_number(text(shown), dtype)).values[0];
}

}  // namespace

OP_TEST(string_to_number) {
  for (DType dtype : {float32, float64, int32, int64})
    check([&](const auto& in) { return strings::to_number(in[0], dtype); },
          {{{"1", "-2"}, {"3", "40"}}}, [](const auto& in) { return in[0]; }, dtype);

  for (DType dtype : {float32, float64}) {
    for (const auto& [shown, value] : std::vector<std::pair<const char*, double>>{
             {" 1 ", 1},       {"+1", 1},          {"-1", -1},         {"1.5", 1.5},
             {"1e3", 1000},    {"1E3", 1000},      {"inf", kInf},      {"-inf", -kInf},
             {"INF", kInf},    {"Infinity", kInf}, {"0x1A", 26},       {"0X1p3", 8},
             {"-0x10", -16},   {"0x1.8p1", 3},     {"1e400", kInf},    {"-1e400", -kInf},
             {"1e-400", 0},    {"1.", 1},          {".5", 0.5},        {"\t1\n", 1},
             {"\v1", 1},       {"00012", 12},      {"0x1p5000", kInf}, {"0x1p-5000", 0},
             {"0.0000e999", 0}})
      EXPECT_EQ(number(shown, dtype), value) << shown;
    EXPECT_TRUE(std::isnan(number("NaN", dtype)) && std::isnan(number("-nan", dtype)));
    EXPECT_TRUE(std::signbit(number("-0", dtype)));
    for (const char* shown :
         {"",      "  ", "abc", "1 2", "1,5", "..5", ".",    "1e", "1e+",  "+-1",
          "1_000", "1f", "0b1", "- 1", "++1", "0x",  "0x-1", "i",  "infx", "\u00a01"})
      EXPECT_ERROR(number(shown, dtype), InvalidArgumentError, "is not a number of float");
  }
  EXPECT_EQ(number("3.5e38", float32), kInf);
  EXPECT_EQ(number("3.5e38", float64), 3.5e38);
  EXPECT_EQ(number("1e-46", float32), 0);
  std::string zeros = "0.";  // small, whatever its exponent
  zeros.append(500, '0').append("1e400");
  EXPECT_NEAR(number(zeros.c_str(), float32), 0, 0);

  for (DType dtype : {int32, int64}) {
    EXPECT_EQ(number(" +12\n", dtype), 12);
    EXPECT_EQ(number("-0", dtype), 0);
    EXPECT_EQ(number("00012", dtype), 12);
    for (const char* shown :
         {"", "1.5", "1e3", "inf", "0x1A", "+-1", "+", "1 2", "9223372036854775808"})
      EXPECT_ERROR(number(shown, dtype), InvalidArgumentError, "is not a number of int");
  }
  EXPECT_EQ(number("-2147483648", int32), -2147483648.0);
  EXPECT_ERROR(number("2147483648", int32), InvalidArgumentError,
               "string_to_number: \"2147483648\" is not a number of int32.");
  EXPECT_EQ(strings::to_number(text("9223372036854775807"), int64).item<int64_t>(), INT64_MAX);
  EXPECT_ERROR(strings::to_number(text("1"), uint8), InvalidArgumentError,
               "out_type must be one of");
}

OP_TEST(as_string) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    check([](const auto& in) { return strings::as_string(in[0]); },
          {random_tensor({dtype, {2, 3}}, {-100, 100})}, [](const auto& in) { return in[0]; },
          string, {.relative = 1e-3});
  }
  expect_texts(strings::as_string(Tensor{true, false}, {.width = 6}), {2}, {"true", "false"});
}

TEST(Strings, AsStringFormatsAsPrintfDoes) {
  const auto formatted = [](const Tensor& x, const strings::AsStringOptions& options) {
    return texts(strings::as_string(x, options))[0];
  };
  const Tensor pi(3.1415926f), nan(std::nanf(""));
  EXPECT_EQ(formatted(pi, {}), "3.141593");
  EXPECT_EQ(formatted(pi, {.precision = 2}), "3.14");
  EXPECT_EQ(formatted(pi, {.precision = 0}), "3");
  EXPECT_EQ(formatted(pi, {.scientific = true}), "3.141593e+00");
  EXPECT_EQ(formatted(pi, {.shortest = true}), "3.14159");
  EXPECT_EQ(formatted(pi, {.precision = 3, .shortest = true}), "3.14");
  EXPECT_EQ(formatted(pi, {.width = 12}), "    3.141593");
  EXPECT_EQ(formatted(pi, {.width = 12, .fill = "0"}), "00003.141593");
  EXPECT_EQ(formatted(pi, {.width = 12, .fill = "-"}), "3.141593    ");
  EXPECT_EQ(formatted(pi, {.width = 12, .fill = "+"}), "   +3.141593");
  EXPECT_EQ(formatted(Tensor(123456789.0f), {}), "123456792.000000");
  EXPECT_EQ(formatted(Tensor(123456789.0f), {.width = 12, .fill = " "}), " 123456792.000000");
  EXPECT_EQ(formatted(Tensor(123456789.0f), {.shortest = true}), "1.23457e+08");
  EXPECT_EQ(formatted(Tensor(1e-10f), {.shortest = true}), "1e-10");
  EXPECT_EQ(formatted(nan, {}), "nan");
  EXPECT_EQ(formatted(nan, {.width = 12, .fill = "0"}), "         nan");
  EXPECT_EQ(formatted(nan, {.width = 12, .fill = "+"}), "        +nan");
  EXPECT_EQ(formatted(Tensor(-5), {.width = 6, .fill = "0"}), "-00005");
  EXPECT_EQ(formatted(Tensor(-5), {.width = 6, .fill = "-"}), "-5    ");
  EXPECT_EQ(formatted(Tensor(5), {.width = 6, .fill = "+"}), "    +5");
  EXPECT_EQ(formatted(Tensor(Number(200), uint8), {.width = 6, .fill = "+"}), "   200");
  EXPECT_EQ(formatted(text("ab"), {.width = 6}), "    ab");
  EXPECT_EQ(formatted(text("ab"), {.width = 6, .fill = "-"}), "ab    ");
  EXPECT_ERROR(formatted(Tensor(5), {.precision = 2}), InvalidArgumentError,
               "as_string: precision, scientific and shortest are for floats. Got int32[].");
  EXPECT_ERROR(formatted(pi, {.scientific = true, .shortest = true}), InvalidArgumentError,
               "exclude each other");
  EXPECT_ERROR(formatted(pi, {.fill = "x"}), InvalidArgumentError,
               "as_string: fill must be one of");
  EXPECT_ERROR(formatted(pi, {.fill = "00"}), InvalidArgumentError, "fill must be one of");
  EXPECT_ERROR(formatted(pi, {.width = 1 << 30}), InvalidArgumentError, "are at most");
}
