#include "alula/io/decode_raw.h"

#include "alula/graph/vectorized_map.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

TEST(DecodeRaw, ReadsNumbers) {
  expect_equal(io::decode_raw({"abcd", "efgh"}, int16), {{2, 2}, {25185, 25699, 26213, 26727}},
               int16);
  expect_equal(io::decode_raw({"abcd"}, int16, {.little_endian = false}), {{1, 2}, {24930, 25444}},
               int16);
  const float numbers[] = {1.5f, -2};
  const Tensor bytes(std::string_view(reinterpret_cast<const char*>(numbers), sizeof numbers));
  expect_equal(io::decode_raw(bytes, float32), {{2}, {1.5, -2}}, float32);
  expect_equal(io::decode_raw(Tensor(std::string_view("\1\0\7", 3)), boolean), {{3}, {1, 0, 1}},
               boolean);
  EXPECT_EQ(to_string(io::decode_raw({""}, int16).spec()), "int16[1,0]");
  EXPECT_EQ(to_string(io::decode_raw(Tensor(std::vector<std::string>()), int16).spec()),
            "int16[0,0]");
}

TEST(DecodeRaw, CutsAndFillsToAFixedLength) {
  expect_equal(io::decode_raw({"ab", "abcdef"}, int16, {.fixed_length = 4}),
               {{2, 2}, {25185, 0, 25185, 25699}}, int16);
  expect_equal(io::decode_raw({"abc"}, int16, {.little_endian = false, .fixed_length = 4}),
               {{1, 2}, {24930, 25344}}, int16);
  expect_equal(
      vectorized_map([](const Tensor& x) { return io::decode_raw(x, uint8, {.fixed_length = 2}); },
                     Tensor{"a", "bcd"}),
      {{2, 2}, {97, 0, 98, 99}}, uint8);
  expect_equal(
      vectorized_map([](const Tensor& x) { return io::decode_raw(x, uint8); }, Tensor{"ab", "cd"}),
      {{2, 2}, {97, 98, 99, 100}}, uint8);
}

TEST(DecodeRaw, SaysWhatIsWrong) {
  EXPECT_ERROR(io::decode_raw({"abc"}, int16), InvalidArgumentError,
               "decode_raw: 3 bytes are not a whole number of int16.");
  EXPECT_ERROR(io::decode_raw({"ab", "abcd"}, int16), InvalidArgumentError,
               "the first has 2 bytes and number 1 4. Set fixed_length.");
  EXPECT_ERROR(io::decode_raw({"ab"}, int16, {.fixed_length = 3}), InvalidArgumentError,
               "fixed_length must be a multiple of the 2 bytes of int16. Got 3.");
  EXPECT_ERROR(io::decode_raw({"ab"}, string), InvalidArgumentError, "numbers or bools");
  EXPECT_ERROR(io::decode_raw(Tensor(1), int16), InvalidArgumentError, "takes strings");
}
