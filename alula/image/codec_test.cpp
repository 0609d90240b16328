#include "alula/image/codec.h"

#include "alula/graph/function.h"
#include "alula/image/reference_test.h"
#include "alula/image/resize.h"

using namespace alula;
using namespace alula::testing;
using image::reference::Case;

namespace {

/// A file's bytes, which the reference has as numbers.
Tensor contents_of(const Case& item) {
  const std::span<const uint8_t> bytes = item.input.span<uint8_t>();
  return Tensor(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Tensor decoded(const Case& item) {
  const Tensor contents = contents_of(item);
  const auto channels = static_cast<int64_t>(item.number("channels", 0));
  const DType dtype = dtype_from(item.text("dtype", "uint8"));
  if (item.function == "decode_png")
    return image::decode_png(contents, {.channels = channels, .dtype = dtype});
  if (item.function == "decode_image")
    return image::decode_image(contents, {.channels = channels, .dtype = dtype});
  const std::string dct_method = item.text("dct_method", "");
  return image::decode_jpeg(
      contents, {.channels = channels,
                 .ratio = static_cast<int64_t>(item.number("ratio", 1)),
                 .fancy_upscaling = !item.has("fancy_upscaling") || item.flag("fancy_upscaling"),
                 .dct_method = std::string_view(dct_method)});
}

Tensor encoded(const Case& item) {
  const std::string unit = item.text("density_unit", "in");
  return image::encode_jpeg(
      item.input,
      {.quality = static_cast<int64_t>(item.number("quality", 95)),
       .progressive = item.flag("progressive"),
       .optimize_size = item.flag("optimize_size"),
       .chroma_downsampling = !item.has("chroma_downsampling") || item.flag("chroma_downsampling"),
       .density_unit = std::string_view(unit),
       .x_density = static_cast<int64_t>(item.number("x_density", 300)),
       .y_density = static_cast<int64_t>(item.number("y_density", 300))});
}

/// Random pixels, and the bytes of their PNG file.
Tensor picture(const Shape& shape) { return random_tensor({uint8, shape}, {0, 255}); }

}  // namespace

/// JPEG's too: TensorFlow decodes with libjpeg-turbo, whose results are the same everywhere.
TEST(Codec, DecodesAsTensorFlowDoes) {
  std::map<std::string, int> called;
  for (const Case& item : image::reference::read("codecs")) {
    SCOPED_TRACE(fmt::format("case {}: {} {}", item.key, item.function, item.config.dump()));
    if (item.function == "encode_jpeg") continue;
    ++called[item.function];
    image::reference::expect_near(decoded(item), item.output, 1e-7);
    if (HasFailure()) return;
  }
  EXPECT_EQ(called.size(), 3U);
}

TEST(Codec, EncodesJpegAsTensorFlowDoes) {
  for (const Case& item : image::reference::read("codecs")) {
    if (item.function != "encode_jpeg") continue;
    const std::span<const uint8_t> bytes = item.output.span<uint8_t>();
    EXPECT_EQ(encoded(item).item<std::string>(),
              std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
}

TEST(Codec, WorksInFunctionsAndForMany) {
  const Tensor images = picture({3, 4, 5, 3});
  const Tensor files = image::encode_png(images);
  EXPECT_EQ(files.shape(), (Shape{3}));
  const auto decode = [](const Tensor& file) { return image::decode_png(file, {.channels = 3}); };
  expect_equal(vectorized_map(decode, files), to_array(images), uint8);
  expect_equal(
      vectorized_map([&](const Tensor& x) { return decode(image::encode_png(x)); }, images),
      to_array(images), uint8);
  auto small = function(
      [&](const Tensor& file) { return image::resize(decode(file), 2, {.method = "area"}); });
  const Tensor one = Tensor(std::string_view(files.span<std::string>()[1]));
  const Tensor other = image::encode_png(picture({7, 3, 1}));  // another size and colour
  EXPECT_EQ(small(one).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(small(other).shape(), (Shape{2, 2, 3}));
  expect_equal(small(one), to_array(image::resize(decode(one), 2, {.method = "area"})), float32);
}

TEST(Codec, ChecksItsArguments) {
  const Tensor file = image::encode_png(picture({4, 5, 3}));
  EXPECT_ERROR(image::decode_png(Tensor{1}), InvalidArgumentError,
               "decode_png: takes the bytes of a file, a string scalar. Got int32[1].");
  EXPECT_ERROR(image::decode_jpeg(file), InvalidArgumentError, "not the bytes of a good JPEG file");
  EXPECT_ERROR(image::decode_image(Tensor(std::string_view("GIF89a"))), InvalidArgumentError,
               "decode_image: takes PNG and JPEG files. Got 6 bytes that begin as neither does.");
  EXPECT_ERROR(image::decode_image(file, {.dtype = int32}), InvalidArgumentError,
               "uint8, uint16 or a floating type. Got int32");
  EXPECT_ERROR(image::encode_png(random_tensor({float32, {4, 5, 3}})), InvalidArgumentError,
               "encode_png: takes uint8, uint16. Got float32[4,5,3]");
  EXPECT_ERROR(image::encode_png(Tensor(constant({1}, uint8))), InvalidArgumentError,
               "images are [..., height, width, channels]");
  EXPECT_ERROR(image::encode_jpeg(picture({4, 5, 2})), InvalidArgumentError, "1 or 3 channels");
}
