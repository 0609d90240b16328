#include "alula/io/jpeg.h"

#include <cmath>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// A smooth picture, which JPEG keeps well.
Tensor picture(int64_t channels) {
  Array array({32, 48, channels});
  for_each_index(array.shape, [&](const Shape& i) {
    array[i] = 128 + 100 * std::sin(0.1 * static_cast<double>(i[0]) +
                                    0.07 * static_cast<double>(i[1] + i[2]));
  });
  return to_tensor(array, uint8);
}

}  // namespace

TEST(Jpeg, KeepsWhatWasWritten) {
  for (const int64_t channels : {1, 3})
    for (const bool progressive : {false, true}) {
      const Tensor image = picture(channels);
      const std::string bytes = io::encode_jpeg(image, {.progressive = progressive});
      EXPECT_TRUE(io::is_jpeg(bytes));
      expect_equal(io::decode_jpeg(bytes, {.dct_method = "INTEGER_ACCURATE"}), to_array(image),
                   uint8, {.relative = 1, .scale = 8});
    }
}

TEST(Jpeg, RefusesWhatIsDamaged) {
  const std::string bytes = io::encode_jpeg(picture(3));
  for (size_t size = 0; size < bytes.size() - 2; ++size)
    EXPECT_ERROR(io::decode_jpeg(bytes.substr(0, size)), InvalidArgumentError,
                 "decode_jpeg: these are not the bytes of a good JPEG file");
  // The top of the picture is still there.
  const Tensor part =
      io::decode_jpeg(bytes.substr(0, bytes.size() - 20), {.try_recover_truncated = true});
  EXPECT_EQ(part.shape(), (Shape{32, 48, 3}));
  const Tensor whole = io::decode_jpeg(bytes);
  for (size_t i = 0; i < 48 * 3; ++i) EXPECT_EQ(part.span<uint8_t>()[i], whole.span<uint8_t>()[i]);
}

TEST(Jpeg, TakesNoMoreMemoryThanTheFileCanNeed) {
  std::string bytes = io::encode_jpeg(picture(1));
  const size_t frame = bytes.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  // Height and width are at bytes 5 to 8 of the frame's header.
  bytes.replace(frame + 5, 4, "\x20\x20\x20\x20");
  EXPECT_ERROR(io::decode_jpeg(bytes), InvalidArgumentError,
               "it is too short for the size that it claims");
  bytes.replace(frame + 5, 4, "\x7F\x7F\x7F\x7F");
  EXPECT_ERROR(io::decode_jpeg(bytes), InvalidArgumentError, "the picture is too large");
}

TEST(Jpeg, ChecksItsArguments) {
  const std::string bytes = io::encode_jpeg(picture(3));
  EXPECT_ERROR(io::decode_jpeg(bytes, {.channels = 4}), InvalidArgumentError,
               "decode_jpeg: channels must be 0, 1 or 3. Got 4.");
  EXPECT_ERROR(io::decode_jpeg(bytes, {.ratio = 3}), InvalidArgumentError, "1, 2, 4 or 8. Got 3");
  EXPECT_ERROR(io::decode_jpeg(bytes, {.dct_method = "FLOAT"}), InvalidArgumentError,
               "INTEGER_FAST or INTEGER_ACCURATE. Got 'FLOAT'");
  EXPECT_ERROR(io::encode_jpeg(Tensor{1.F}), InvalidArgumentError, "encode_jpeg: takes uint8");
  EXPECT_ERROR(io::encode_jpeg(picture(2)), InvalidArgumentError, "of 1 or 3 channels");
  EXPECT_ERROR(io::encode_jpeg(Tensor::uninitialized({uint8, {0, 7, 3}})), InvalidArgumentError,
               "height and width must be from 1 to 65500");
  EXPECT_ERROR(io::encode_jpeg(picture(3), {.quality = 101}), InvalidArgumentError,
               "the quality must be from 0 to 100. Got 101");
  EXPECT_ERROR(io::encode_jpeg(picture(3), {.density_unit = "mm"}), InvalidArgumentError,
               "must be in or cm. Got 'mm'");
  EXPECT_ERROR(io::encode_jpeg(picture(3), {.x_density = -1}), InvalidArgumentError,
               "densities must be from 0 to 65535");
}
