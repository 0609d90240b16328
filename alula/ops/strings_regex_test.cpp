#include "alula/ops/strings_regex.h"

#include "alula/ops/strings_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(regex_replace) {
  check([](const auto& in) { return strings::regex_replace(in[0], "1", "3"); }, {{"121", "4"}},
        [](const auto&) { return Array({2}, {323, 4}); });
  struct Case {
    const char *text, *pattern, *rewrite, *result;
  };
  for (const Case& c : {Case{"hello", "(l+)(o)", R"(\2\1)", "heoll"},
                        {"a", "a", R"(\0\0)", "aa"},
                        {"a", "a", R"(\\)", R"(\)"},
                        {"aaa", "", "-", "-a-a-a-"},
                        {"\u00e4\u00f6\u00fc", ".", "x", "xxx"},
                        {"a\nb", ".", "x", "x\nx"},
                        {"abc", "(?i)B", "x", "axc"},
                        {"aa", "a*?", "b", "babab"},
                        {"abc", "b*", "-", "-a-c-"},
                        {"\xff\xfe", ".", "x", "\xff\xfe"}})
    EXPECT_EQ(texts(strings::regex_replace(text(c.text), c.pattern, c.rewrite))[0], c.result)
        << c.text << " " << c.pattern;
  expect_texts(strings::regex_replace(text("abcb"), "b", "X", {.replace_global = false}), {},
               {"aXcb"});
  EXPECT_ERROR(strings::regex_replace(text("a"), "(", "x"), InvalidArgumentError,
               "regex_replace: the pattern \"(\" is not valid: missing ): (");
  // TensorFlow leaves the text as it is, and says nothing.
  EXPECT_ERROR(strings::regex_replace(text("a"), "a", R"(\1)"), InvalidArgumentError,
               "regex_replace: the rewrite \"\\\\1\" is not valid");
}

OP_TEST(regex_full_match) {
  check([](const auto& in) { return strings::regex_full_match(in[0], "1+"); },
        {{{"1", "21"}, {"111", "7"}}},
        [](const auto& in) {
          Array matches = in[0];
          for (double& value : matches.values) value = value == 1 || value == 111;
          return matches;
        },
        boolean);
  const auto matches = [](const char* shown, const char* pattern) {
    return strings::regex_full_match(text(shown), pattern).item<bool>();
  };
  EXPECT_TRUE(matches("abc", "a.*") && matches("ABC", "(?i)abc") && matches("", ""));
  EXPECT_FALSE(matches("abc", "ab") || matches("a\n", "a."));
  EXPECT_ERROR(matches("x", "["), InvalidArgumentError, "missing ]: [");
}

TEST(Strings, AHostilePatternTakesLinearTime) {
  const std::string many(20000, 'a');
  EXPECT_FALSE(strings::regex_full_match(text(many), "(a*)*b").item<bool>());
  const std::string deep = std::string(5000, '(') + std::string(5000, ')');
  EXPECT_FALSE(strings::regex_full_match(text("a"), deep).item<bool>());
  EXPECT_ERROR(strings::regex_full_match(text("a"), "((a{1000}){1000}){1000}"),
               InvalidArgumentError, "is not valid");
}
