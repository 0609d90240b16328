#include "alula/ops/strings_case.h"

#include "alula/ops/strings_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

Array same_numbers(const std::vector<Array>& inputs) { return inputs[0]; }

}  // namespace

OP_TEST(string_lower) {
  check([](const auto& in) { return strings::lower(in[0]); }, {{"1E3", "7"}}, same_numbers);
  expect_texts(strings::lower({"ABC \u00c9 xyz[@`{Z", ""}), {2}, {"abc \u00c9 xyz[@`{z", ""});
  EXPECT_ERROR(strings::lower(Tensor{1}), InvalidArgumentError,
               "string_lower: takes strings. Got int32[1]. Use strings::as_string().");
}

OP_TEST(string_upper) {
  check([](const auto& in) { return strings::upper(in[0]); }, {{"1e3", "7"}}, same_numbers);
  expect_texts(strings::upper({{"abc \u00e9"}, {"XYZ[@`{z"}}), {2, 1}, {"ABC \u00e9", "XYZ[@`{Z"});
}

OP_TEST(string_strip) {
  check([](const auto& in) { return strings::strip(in[0]); }, {{" 12 ", "7"}}, same_numbers);
  const std::string zero("\0 a\0", 4);
  expect_texts(strings::strip(Tensor(Texts{"  a b \t\n\v\f\r", zero, "\u00a0a", "", " "})), {5},
               {"a b", zero, "\u00a0a", "", ""});
}
