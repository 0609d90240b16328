#include "alula/io/png.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

Tensor picture(DType dtype, int64_t channels) {
  return random_tensor({dtype, {5, 7, channels}}, {0, 65535});
}

}  // namespace

TEST(Png, KeepsWhatWasWritten) {
  for (const DType dtype : {uint8, uint16})
    for (const int64_t channels : {1, 2, 3, 4})
      for (const int64_t compression : {-1, 0, 9}) {
        const Tensor image = picture(dtype, channels);
        const std::string bytes = io::encode_png(image, {.compression = compression});
        EXPECT_TRUE(io::is_png(bytes));
        expect_equal(io::decode_png(bytes, {.dtype = dtype}), to_array(image), dtype);
      }
}

TEST(Png, RefusesWhatIsDamaged) {
  const std::string bytes = io::encode_png(picture(uint8, 3));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_ERROR(io::decode_png(bytes.substr(0, size)), InvalidArgumentError,
                 "decode_png: these are not the bytes of a good PNG file");
  std::string wrong = bytes;
  wrong[50] ^= 1;
  EXPECT_ERROR(io::decode_png(wrong), InvalidArgumentError, "IDAT");
}

TEST(Png, TakesNoMoreMemoryThanTheFileCanNeed) {
  const std::string big =
      io::encode_png(Tensor(std::vector<uint8_t>(4000000), {2000, 2000, 1}), {.compression = 9});
  EXPECT_EQ(io::decode_png(big).shape(), (Shape{2000, 2000, 1}));
  // The header of the large picture before the data of a small one.
  const std::string small = io::encode_png(picture(uint8, 1));
  EXPECT_ERROR(io::decode_png(big.substr(0, 33) + small.substr(33)), InvalidArgumentError,
               "it is too short for the size that it claims");
}

TEST(Png, ChecksItsArguments) {
  const std::string bytes = io::encode_png(picture(uint8, 3));
  EXPECT_ERROR(io::decode_png(bytes, {.channels = 2}), InvalidArgumentError,
               "decode_png: channels must be 0, 1, 3 or 4. Got 2.");
  EXPECT_ERROR(io::decode_png(bytes, {.dtype = float32}), InvalidArgumentError,
               "the dtype must be uint8 or uint16. Got float32");
  EXPECT_ERROR(io::decode_png("text"), InvalidArgumentError, "they begin otherwise. Got 4 bytes");
  EXPECT_ERROR(io::encode_png(picture(float32, 3)), InvalidArgumentError,
               "encode_png: takes uint8 and uint16. Got float32[5,7,3]");
  EXPECT_ERROR(io::encode_png(picture(uint8, 5)), InvalidArgumentError, "1 to 4 channels");
  EXPECT_ERROR(io::encode_png(Tensor::uninitialized({uint8, {0, 7, 3}})), InvalidArgumentError,
               "must be positive");
  EXPECT_ERROR(io::encode_png(picture(uint8, 3), {.compression = 10}), InvalidArgumentError,
               "from 0 to 9, or -1. Got 10");
}
