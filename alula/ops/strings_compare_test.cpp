#include "alula/ops/strings_compare.h"

#include "alula/ops/strings_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(string_equal) {
  check([](const auto& in) { return equal(in[0], in[1]); }, {{{"1"}, {"2"}}, {"1", "2", "3"}},
        [](const auto&) { return Array({2, 3}, {1, 0, 0, 0, 1, 0}); }, boolean);
  check([](const auto& in) { return not_equal(in[0], in[1]); }, {{"1", "2"}, text("2")},
        [](const auto&) { return Array({2}, {1, 0}); }, boolean);
  const Tensor words = {"a", "b"};
  expect_equal(words == "a", {{2}, {1, 0}}, boolean);
  expect_equal(words != "a", {{2}, {0, 1}}, boolean);
  expect_equal(words == words, {{2}, {1, 1}}, boolean);
  EXPECT_ERROR((words == Tensor{1, 2}), InvalidArgumentError,
               "string_equal: takes strings. Got string[2], int32[2].");
  EXPECT_ERROR(words == 1, InvalidArgumentError, "1 is not a value of string");
  EXPECT_ERROR(Tensor(1) == "a", InvalidArgumentError, "string_equal: takes strings");
  EXPECT_ERROR(words + words, InvalidArgumentError, "add: takes");
  EXPECT_ERROR(words < words, InvalidArgumentError, "less: takes");
}

OP_TEST(string_where) {
  check([](const auto& in) { return where(in[0], in[1], in[2]); },
        {Tensor{true, false}, {{"1", "2"}, {"3", "4"}}, text("9")},
        [](const auto&) { return Array({2, 2}, {1, 9, 3, 9}); }, string);
  EXPECT_ERROR(where(Tensor{1}, Tensor{"a"}, Tensor{"b"}), InvalidArgumentError,
               "string_where: takes a bool condition and strings.");
}

TEST(Strings, AreMovedAbout) {
  const std::string a = "a text that is too long to be kept inside of a string object";
  const Tensor x(Texts{a, "b", "c", "d"}, Shape{2, 2});
  expect_texts(gather(x, {1, 0}), {2, 2}, {"c", "d", a, "b"});
  expect_texts(concat({x, x}, 1), {2, 4}, {a, "b", a, "b", "c", "d", "c", "d"});
  expect_texts(stack({x, x}), {2, 2, 2}, {a, "b", "c", "d", a, "b", "c", "d"});
  expect_texts(unstack(x)[1], {2}, {"c", "d"});
  expect_texts(expand_dims(reshape(x, {4}), 0), {1, 4}, {a, "b", "c", "d"});
  expect_texts(slice(x, {0, 1}, {2, 1}), {2, 1}, {"b", "d"});
  expect_texts(transpose(x), {2, 2}, {a, "c", "b", "d"});
  expect_texts(tile(Tensor{"z"}, {2}), {2}, {"z", "z"});
  expect_texts(broadcast_to(Tensor{"z"}, {2, 1}), {2, 1}, {"z", "z"});
}
