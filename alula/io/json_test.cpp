#include "alula/io/json.h"

#include "alula/io/mutations_test.h"
#include "alula/io/utf8.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;

namespace {

Json parse(std::string_view text) { return Json::parse(text, "x.json"); }

}  // namespace

TEST(Json, ReadsEveryKind) {
  const Json json =
      parse(" { \"a\" : [1, -2.5e1, true,false, null, \"x\", [], {}] ,\n\t\"b\":{\"c\":0}}\r\n");
  const Json::Array& a = json.at("a").as_array();
  ASSERT_EQ(a.size(), 8u);
  EXPECT_EQ(a[0].as_integer(), 1);
  EXPECT_EQ(a[0].as_number(), 1);
  EXPECT_EQ(a[1].as_number(), -25);
  EXPECT_TRUE(a[2].as_bool());
  EXPECT_FALSE(a[3].as_bool());
  EXPECT_TRUE(a[4].is_null());
  EXPECT_EQ(a[5].as_string(), "x");
  EXPECT_TRUE(a[6].as_array().empty());
  EXPECT_TRUE(a[7].as_object().empty());
  EXPECT_EQ(json.at("b").at("c").as_integer(), 0);
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_EQ(json.as_object()[1].key, "b");
}

TEST(Json, ReadsNumbers) {
  EXPECT_EQ(parse("9223372036854775807").as_integer(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808").as_integer(), INT64_MIN);
  EXPECT_EQ(parse("9223372036854775808").as_number(), 9223372036854775808.0);
  EXPECT_EQ(parse("-0").as_integer(), 0);
  EXPECT_EQ(parse("0.1").as_number(), 0.1);
  EXPECT_EQ(parse("1E+2").as_number(), 100);
  EXPECT_EQ(parse("1.7976931348623157e308").as_number(), 1.7976931348623157e308);
}

TEST(Json, ReadsStrings) {
  EXPECT_EQ(parse(R"("\"\\\/\b\f\n\r\t")").as_string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(parse(R"("\u0041\u00e9\u20AC\ud83d\uDE00\u0000")").as_string(),
            std::string("A\u00e9\u20ac\U0001F600\0", 11));
  EXPECT_EQ(parse("\"\u00e9\u20ac\U0001F600\"").as_string(), "\u00e9\u20ac\U0001F600");
}

TEST(Json, IsStrict) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "it ends where a value is expected"},
      {"  ", "it ends where a value is expected, at byte 2"},
      {"nul", "a value is expected"},
      {"NaN", "a value is expected"},
      {"Infinity", "a value is expected"},
      {"-Infinity", "a digit is expected"},
      {"+1", "a value is expected"},
      {".5", "a value is expected"},
      {"1.", "a digit is expected"},
      {"1e", "a digit is expected"},
      {"-", "a digit is expected"},
      {"01", "a zero too many"},
      {"1e999", "too large or too small"},
      {"1 2", "there is more after the value, at byte 2"},
      {"[1,]", "a value is expected"},
      {"[1 2]", "',' or ']' is expected"},
      {"[1", "',' or ']' is expected"},
      {"{1:2}", "a key is expected"},
      {"{\"a\"}", "':' is expected"},
      {"{\"a\":1,}", "a key is expected"},
      {"{\"a\":1 \"b\":2}", "',' or '}' is expected"},
      {"{\"a\":1,\"b\":2,\"a\":3}", "the key \"a\" occurs twice"},
      {"{\"a\":1,\"\\u0061\":3}", "the key \"a\" occurs twice"},
      {"\"abc", "a string does not end"},
      {"\"a\nb\"", "a control character"},
      {"\"\\x\"", "an unknown escape"},
      {"\"\\", "an unknown escape"},
      {"\"\\u12g4\"", "four hexadecimal digits"},
      {"\"\\u-123\"", "four hexadecimal digits"},
      {"\"\\u12", "four hexadecimal digits"},
      {"\"\\ud800\"", "half of a surrogate pair"},
      {"\"\\ude00\"", "half of a surrogate pair"},
      {"\"\\ud83d\\u0041\"", "half of a surrogate pair"},
      {"\"\xff\"", "not UTF-8"},
      {"'a'", "a value is expected"},
      {"[1] // one", "there is more"},
  };
  for (const auto& [text, problem] : cases) {
    SCOPED_TRACE(text);
    EXPECT_ERROR(parse(text), DataLossError, problem);
    EXPECT_ERROR(parse(text), DataLossError, "x.json: the JSON is not valid: ");
  }
  EXPECT_ERROR(parse(std::string_view("1\0", 2)), DataLossError, "there is more");
}

TEST(Json, LimitsDepth) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(parse(nested(Json::kMaxDepth)).dump(), nested(Json::kMaxDepth));
  EXPECT_ERROR(parse(nested(Json::kMaxDepth + 2)), DataLossError, "nested too deeply");
  EXPECT_ERROR(parse(std::string(1'000'000, '[')), DataLossError, "nested too deeply");
}

TEST(Json, IsAskedForTheRightKind) {
  EXPECT_ERROR(parse("1.5").as_integer(), InvalidArgumentError,
               "json: an integer is expected. Got a number.");
  EXPECT_ERROR(parse("1").as_string(), InvalidArgumentError,
               "json: a string is expected. Got an integer.");
  EXPECT_ERROR(parse("{}").as_array(), InvalidArgumentError, "an array is expected");
  EXPECT_ERROR(parse("[]").find("a"), InvalidArgumentError, "an object is expected. Got an array");
  EXPECT_ERROR(parse("null").as_number(), InvalidArgumentError, "a number is expected. Got null.");
  EXPECT_ERROR(parse("{}").at("a"), NotFoundError, "the object has no member \"a\".");
}

TEST(Json, IsWrittenAsPythonWritesIt) {
  const Json json = Json::Object{
      {"a", Json::Array{1, -2.5, 1.0, 1e100, true, Json()}},
      {"b\"\\\n\t\x01", Json::Object{{"c", "\u20ac"}}},
      {"d", Json::Object{}},
  };
  const std::string text =
      "{\"a\": [1, -2.5, 1.0, 1e+100, true, null], \"b\\\"\\\\\\n\\t\\u0001\": {\"c\": "
      "\"\u20ac\"}, \"d\": {}}";
  EXPECT_EQ(json.dump(), text);
  EXPECT_EQ(parse(text), json);
  EXPECT_ERROR(Json(1.0 / 0.0).dump(), InvalidArgumentError, "json: inf has no form in JSON.");
  EXPECT_ERROR(Json("\xff").dump(), InvalidArgumentError, "json: a string must be UTF-8.");
}

TEST(Json, KnowsUtf8) {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good));
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(bad));
  for (uint32_t code : {0x41u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text;
    append_utf8(text, code);
    EXPECT_TRUE(is_utf8(text)) << code;
  }
}

TEST(Json, SurvivesDamage) {
  const std::string good =
      R"({"name": ["\u00e9\ud83d\ude00", 1.5e-3, -12, {"deep": [[[null, true]]]}], "x": "y\n"})";
  const int thrown = alula::testing::survive(good,
                                             [](const std::string& text) {
                                               const Json json = parse(text);
                                               EXPECT_EQ(parse(json.dump()), json);
                                             },
                                             {.rounds = 10'000});
  EXPECT_GT(thrown, 5000);
}
