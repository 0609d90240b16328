#include "alula/ops/strings_substr.h"

#include "alula/ops/strings_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

const char* const kUmlauts = "\u00e4\u00f6\u00fc\u00df";

std::string part(std::string_view shown, int64_t pos, int64_t len, strings::Unit unit = {}) {
  return texts(strings::substr(text(shown), pos, len, {.unit = unit}))[0];
}

}  // namespace

OP_TEST(string_length) {
  check([](const auto& in) { return strings::length(in[0]); }, {{"123", ""}},
        [](const auto&) { return Array({2}, {3, 0}); }, int32);
  const Tensor words(Texts{"", "abc", "\u00e4\u00f6\u00fc", std::string("a\0b", 3), "\xff\xfe",
                           "\x80\x80", "\U0001d11e"});
  expect_equal(strings::length(words), {{7}, {0, 3, 6, 3, 2, 2, 4}}, int32);
  expect_equal(strings::length(words, {.unit = "UTF8_CHAR"}), {{7}, {0, 3, 3, 3, 2, 0, 1}}, int32);
  EXPECT_ERROR(strings::length(words, {.unit = "CHAR"}), InvalidArgumentError,
               "the unit must be BYTE or UTF8_CHAR. Got \"CHAR\".");
}

OP_TEST(substr) {
  check([](const auto& in) { return strings::substr(in[0], in[1], in[2]); },
        {{{"1234"}, {"5678"}}, Tensor{0, 2}, Tensor{2, 1}},
        [](const auto&) { return Array({2, 2}, {12, 3, 56, 7}); }, string);
  for (strings::Unit unit : {"BYTE", "UTF8_CHAR"}) {
    EXPECT_EQ(part("Hello", 1, 3, unit), "ell");
    EXPECT_EQ(part("Hello", 1, 100, unit), "ello");
    EXPECT_EQ(part("Hello", -3, 2, unit), "ll");
    EXPECT_EQ(part("Hello", -5, 2, unit), "He");
    EXPECT_EQ(part("Hello", 5, 1, unit), "");
    EXPECT_EQ(part("Hello", 0, 0, unit), "");
    EXPECT_EQ(part("", 0, 2, unit), "");
    EXPECT_EQ(part("Hello", 2, -1, unit), "llo");
    EXPECT_EQ(part("Hello", 2, INT64_MAX, unit), "llo");
    for (int64_t pos : {INT64_MIN, int64_t{-6}, int64_t{6}, INT64_MAX})
      EXPECT_ERROR(part("Hello", pos, 1, unit), InvalidArgumentError,
                   fmt::format("substr: position {} is outside of \"Hello\" (element 0).", pos));
  }
  EXPECT_EQ(part(kUmlauts, 1, 3), "\xa4\xc3\xb6");
  EXPECT_EQ(part(kUmlauts, 1, 2, "UTF8_CHAR"), "\u00f6\u00fc");
  EXPECT_EQ(part(kUmlauts, -3, 2, "UTF8_CHAR"), "\u00f6\u00fc");
  EXPECT_EQ(part("\xff\xfe"
                 "ab",
                 1, 2, "UTF8_CHAR"),
            "\xfe"
            "a");
  EXPECT_EQ(part("\x80\x80"
                 "a\x80",
                 0, 1, "UTF8_CHAR"),
            "\x80\x80");
}

TEST(Strings, SubstrBroadcasts) {
  expect_texts(strings::substr({{"abc"}, {"defg"}}, Tensor{0, 1, 2}, Tensor{1, 1, 1}), {2, 3},
               {"a", "b", "c", "d", "e", "f"});
  expect_texts(strings::substr(text("abcdef"), Tensor{{0, 1}, {2, 3}}, 1), {2, 2},
               {"a", "b", "c", "d"});
  expect_texts(strings::substr({"abcdef", "xyz"}, Tensor(std::vector<int64_t>{1, 0}),
                               Tensor(std::vector<int64_t>{1, 2})),
               {2}, {"b", "xy"});
  EXPECT_ERROR(strings::substr({"ab"}, Tensor(1), Tensor{1, 2}), InvalidArgumentError,
               "substr: pos and len must have the same shape.");
  EXPECT_ERROR(strings::substr({"ab"}, Tensor{1.f}, Tensor{1.f}), InvalidArgumentError,
               "substr: pos and len must both be int32, or int64.");
}
