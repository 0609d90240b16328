#include "alula/ops/strings_split.h"

#include "alula/ops/strings_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(string_split) {
  check([](const auto& in) { return strings::split(in[0], "5"); }, {{"152", "26"}},
        [](const auto&) { return Array({2, 2}, {1, 2, 26, 0}); });

  struct Case {
    const char* text;
    const char* sep;
    int64_t maxsplit;
    Texts pieces;
  };
  for (const Case& c : std::vector<Case>{
           {"", "", -1, {}},
           {" ", "", -1, {}},
           {"  a  b ", "", -1, {"a", "b"}},
           {"a\tb\nc\vd\fe\rf", "", -1, {"a", "b", "c", "d", "e", "f"}},
           {"  a  b  c  ", "", 0, {"  a  b  c  "}},
           {"  a  b  c  ", "", 1, {"a", "b  c  "}},
           {"  a  b  c  ", "", 2, {"a", "b", "c  "}},
           {"  a  b ", "", 2, {"a", "b", ""}},
           {"a b", "", 3, {"a", "b"}},
           {"", ",", -1, {""}},
           {",", ",", -1, {"", ""}},
           {",a,,b,", ",", -1, {"", "a", "", "b", ""}},
           {",a,,b,", ",", 2, {"", "a", ",b,"}},
           {"a,b", ",", 0, {"a,b"}},
           {"a,b", ",", 5, {"a", "b"}},
           {"aXXbXXXc", "XX", -1, {"a", "b", "Xc"}},
           {"aXXbXXXc", "XX", 1, {"a", "bXXXc"}},
       }) {
    SCOPED_TRACE(std::string(c.text) + "|" + c.sep);
    expect_texts(strings::split(text(c.text), c.sep, {.maxsplit = c.maxsplit}),
                 {static_cast<int64_t>(c.pieces.size())}, c.pieces);
  }
}

TEST(Strings, SplitFillsUpWithEmptyStrings) {
  expect_texts(strings::split({"a b", "c", " "}), {3, 2}, {"a", "b", "c", "", "", ""});
  expect_texts(strings::split({{"a b", "c"}, {"", "d e f"}}), {2, 2, 3},
               {"a", "b", "", "c", "", "", "", "", "", "d", "e", "f"});
  expect_texts(strings::split({"", " "}), {2, 0}, {});
  expect_texts(strings::split(Tensor(Texts())), {0, 0}, {});
  EXPECT_ERROR(strings::split(Tensor(1)), InvalidArgumentError, "string_split: takes strings");
  EXPECT_ERROR(strings::split(reshape(text("a"), Shape{1, 1, 1, 1, 1, 1, 1, 1})),
               InvalidArgumentError, "string_split: the result would have more than 8 dimensions");
}

OP_TEST(string_join) {
  check([](const auto& in) { return strings::join(in, "0"); }, {{"1", "2"}, {"3", "4"}},
        [](const auto& in) {
          Array sum = in[0];
          for (size_t i = 0; i < sum.values.size(); ++i)
            sum.values[i] = sum.values[i] * 100 + in[1].values[i];
          return sum;
        });
  // A scalar beside a tensor: in turn the same for all, and each call's own.
  check([](const auto& in) { return strings::join({in[0], in[1]}, ""); }, {{"1", "2"}, text("3")},
        [](const auto& in) {
          Array sum = in[0];
          for (double& value : sum.values) value = value * 10 + in[1].values[0];
          return sum;
        });
  expect_texts(strings::join({text("a"), text("b")}, "-"), {}, {"a-b"});
  expect_texts(strings::join({Tensor{"a"}, text("b"), Tensor{"c"}}, "-"), {1}, {"a-b-c"});
  expect_texts(strings::join({text("a")}, "-"), {}, {"a"});
  expect_texts(strings::join({}, "-"), {}, {""});
  EXPECT_ERROR(strings::join({Tensor{"a", "b"}, Tensor{"c"}}), InvalidArgumentError,
               "string_join: the inputs must have the same shape, or none. Got string[2], "
               "string[1].");
}
