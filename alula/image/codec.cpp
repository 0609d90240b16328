#include "alula/image/codec.h"

#include <cstring>

#include "alula/image/convert.h"
#include "alula/ops/batching.h"

namespace alula::image {
namespace {

/// What the ops share. They are not on the list of ops, whose tests stand in alula/ops.
template <class Derived>
struct HostOp : OpOf<Derived> {
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
};

std::string_view bytes_of(const Tensor& contents) { return contents.span<std::string>()[0]; }

int64_t known(int64_t channels) { return channels == 0 ? kUnknown : channels; }

/// The bytes of one file become an image, which may be of another size than the next one.
template <class Derived>
struct Decoder : HostOp<Derived> {
  static constexpr DTypeSet kDTypes = string;

  Specs infer(SpecRefs inputs) const override {
    require(inputs[0].dtype == string && inputs[0].rank() == 0,
            "{}: takes the bytes of a file, a string scalar. Got {}.", Derived::kName, inputs[0]);
    const auto& op = static_cast<const Derived&>(*this);
    return {Spec{op.dtype(), {kUnknown, kUnknown, known(op.options.channels)}}};
  }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override {
    return batching::in_loop(*this, inputs, size);
  }
  Tensors run_on_host(TensorRefs inputs) const override {
    return {static_cast<const Derived&>(*this).decode(bytes_of(inputs[0]))};
  }
};

struct DecodePng final : Decoder<DecodePng> {
  static constexpr const char* kName = "decode_png";
  io::DecodePngOptions options;

  explicit DecodePng(const io::DecodePngOptions& options) : options(options) {}
  DType dtype() const { return options.dtype; }
  Tensor decode(std::string_view bytes) const { return io::decode_png(bytes, options); }
  Attributes attributes() const override {
    return {{"channels", options.channels}, {"dtype", options.dtype}};
  }
};

struct DecodeJpeg final : Decoder<DecodeJpeg> {
  static constexpr const char* kName = "decode_jpeg";
  io::DecodeJpegOptions options;

  explicit DecodeJpeg(const io::DecodeJpegOptions& options) : options(options) {}
  DType dtype() const { return uint8; }
  Tensor decode(std::string_view bytes) const { return io::decode_jpeg(bytes, options); }
  Attributes attributes() const override {
    return {{"channels", options.channels},
            {"ratio", options.ratio},
            {"fancy_upscaling", options.fancy_upscaling},
            {"try_recover_truncated", options.try_recover_truncated},
            {"accurate", options.dct_method.accurate()}};
  }
};

struct DecodeImage final : Decoder<DecodeImage> {
  static constexpr const char* kName = "decode_image";
  DecodeImageOptions options;

  explicit DecodeImage(const DecodeImageOptions& options) : options(options) {}
  DType dtype() const { return options.dtype; }
  /// A file of 16 bits keeps them where the dtype has room for them.
  Tensor decode(std::string_view bytes) const {
    if (io::is_png(bytes))
      return convert_image_dtype(
          io::decode_png(bytes, {.channels = options.channels,
                                 .dtype = options.dtype == uint8 ? uint8 : uint16}),
          options.dtype);
    require(io::is_jpeg(bytes),
            "{}: takes PNG and JPEG files. Got {} bytes that begin as neither does.", kName,
            bytes.size());
    return convert_image_dtype(io::decode_jpeg(bytes, {.channels = options.channels}),
                               options.dtype);
  }
  Attributes attributes() const override {
    return {{"channels", options.channels}, {"dtype", options.dtype}};
  }
};

/// Images become strings: [..., height, width, channels] to [...].
template <class Derived>
struct Encoder : HostOp<Derived> {
  Specs infer(SpecRefs inputs) const override {
    const Spec& images = inputs[0];
    require(Derived::kDTypes.contains(images.dtype),
            "{}: takes {}. Got {}. Use convert_image_dtype().", Derived::kName, Derived::kDTypes,
            images);
    require(images.rank() >= 3, "{}: images are [..., height, width, channels]. Got {}.",
            Derived::kName, images);
    return {Spec{string, images.shape.slice(0, images.rank() - 3)}};
  }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override {
    return batching::with_leading(*this, inputs, size);
  }
  Tensors run_on_host(TensorRefs inputs) const override {
    const Tensor& images = inputs[0];
    const int rank = images.rank();
    const Spec one = images.spec().with(images.shape().slice(rank - 3, rank));
    const Shape leading = images.shape().slice(0, rank - 3);
    std::vector<std::string> files;
    for (int64_t i = 0; i < leading.size(); ++i) {
      Tensor image = Tensor::uninitialized(one);
      std::memcpy(image.mutable_data(), static_cast<const char*>(images.data()) + i * one.bytes(),
                  static_cast<size_t>(one.bytes()));
      files.push_back(static_cast<const Derived&>(*this).encode(image));
    }
    return {Tensor(files, leading)};
  }
};

struct EncodePng final : Encoder<EncodePng> {
  static constexpr const char* kName = "encode_png";
  static constexpr DTypeSet kDTypes{uint8, uint16};
  io::EncodePngOptions options;

  explicit EncodePng(const io::EncodePngOptions& options) : options(options) {}
  std::string encode(const Tensor& image) const { return io::encode_png(image, options); }
  Attributes attributes() const override { return {{"compression", options.compression}}; }
};

struct EncodeJpeg final : Encoder<EncodeJpeg> {
  static constexpr const char* kName = "encode_jpeg";
  static constexpr DTypeSet kDTypes = uint8;
  io::EncodeJpegOptions options;

  explicit EncodeJpeg(const io::EncodeJpegOptions& options) : options(options) {}
  std::string encode(const Tensor& image) const { return io::encode_jpeg(image, options); }
  Attributes attributes() const override {
    return {{"quality", options.quality},
            {"progressive", options.progressive},
            {"optimize_size", options.optimize_size},
            {"chroma_downsampling", options.chroma_downsampling},
            {"centimetres", options.density_unit.is_centimetre()},
            {"x_density", options.x_density},
            {"y_density", options.y_density}};
  }
};

}  // namespace

Tensor decode_png(const Tensor& contents, const io::DecodePngOptions& options) {
  return call(DecodePng(options), contents);
}

Tensor decode_jpeg(const Tensor& contents, const io::DecodeJpegOptions& options) {
  return call(DecodeJpeg(options), contents);
}

Tensor decode_image(const Tensor& contents, const DecodeImageOptions& options) {
  require(options.dtype == uint8 || options.dtype == uint16 || is_floating(options.dtype),
          "decode_image: the dtype must be uint8, uint16 or a floating type. Got {}.",
          options.dtype);
  return call(DecodeImage(options), contents);
}

Tensor encode_png(const Tensor& image, const io::EncodePngOptions& options) {
  return call(EncodePng(options), image);
}

Tensor encode_jpeg(const Tensor& image, const io::EncodeJpegOptions& options) {
  return call(EncodeJpeg(options), image);
}

}  // namespace alula::image
