#include <filesystem>

#include "alula/io/glob.h"
#include "alula/io/read_file.h"
#include "python/src/module.h"
#include "python/src/ops.h"

// tf.io: files, pictures and texts of numbers.
namespace alula::python {
namespace {

void bind_pictures(nb::module_& m) {
  m.def(
      "decode_png",
      [](Like contents, int64_t channels, DTypeLike dtype, nb::handle) {
        const Tensor bytes = contents.tensor();
        const io::DecodePngOptions options{.channels = channels, .dtype = dtype.value_or(uint8)};
        return wrap(without_lock([&] { return image::decode_png(bytes, options); }));
      },
      "contents"_a, "channels"_a = 0, "dtype"_a = wrap(uint8), name_argument(),
      "The pixels of a PNG file: [height, width, channels], uint8 or uint16.");
  m.def(
      "decode_jpeg",
      [](Like contents, int64_t channels, int64_t ratio, bool fancy_upscaling,
         bool try_recover_truncated, double, const std::string& dct_method, nb::handle) {
        const Tensor bytes = contents.tensor();
        const io::DecodeJpegOptions options{.channels = channels,
                                            .ratio = ratio,
                                            .fancy_upscaling = fancy_upscaling,
                                            .try_recover_truncated = try_recover_truncated,
                                            .dct_method = std::string_view(dct_method)};
        return wrap(without_lock([&] { return image::decode_jpeg(bytes, options); }));
      },
      "contents"_a, "channels"_a = 0, "ratio"_a = 1, "fancy_upscaling"_a = true,
      "try_recover_truncated"_a = false, "acceptable_fraction"_a = 1.0, "dct_method"_a = "",
      name_argument(), "The pixels of a JPEG file: uint8 [height, width, channels].");
  m.def(
      "decode_image",
      [](Like contents, nb::handle channels, DTypeLike dtype, nb::handle, bool) {
        const Tensor bytes = contents.tensor();
        const image::DecodeImageOptions options{.channels = to_int(channels, "channels"),
                                                .dtype = dtype.value_or(uint8)};
        return wrap(without_lock([&] { return image::decode_image(bytes, options); }));
      },
      "contents"_a, "channels"_a = nb::none(), "dtype"_a = wrap(uint8), name_argument(),
      "expand_animations"_a = true, "The pixels of a PNG or JPEG file, whichever it is.");
  m.def(
      "encode_png",
      [](Like image, int64_t compression, nb::handle) {
        const Tensor x = image.tensor();
        return wrap(
            without_lock([&] { return image::encode_png(x, {.compression = compression}); }));
      },
      "image"_a, "compression"_a = -1, name_argument(),
      "PNG files of images, uint8 or uint16: a string for each.\n\n"
      ">>> png = tf.io.encode_png(tf.cast([[[1], [2]]], tf.uint8))\n"
      ">>> tf.io.decode_png(png).numpy().ravel()\narray([1, 2], dtype=uint8)");
  m.def(
      "encode_jpeg",
      [](Like image, const std::string&, int64_t quality, bool progressive, bool optimize_size,
         bool chroma_downsampling, const std::string& density_unit, int64_t x_density,
         int64_t y_density, const std::string&, nb::handle) {
        const Tensor x = image.tensor();
        const io::EncodeJpegOptions options{.quality = quality,
                                            .progressive = progressive,
                                            .optimize_size = optimize_size,
                                            .chroma_downsampling = chroma_downsampling,
                                            .density_unit = std::string_view(density_unit),
                                            .x_density = x_density,
                                            .y_density = y_density};
        return wrap(without_lock([&] { return image::encode_jpeg(x, options); }));
      },
      "image"_a, "format"_a = "", "quality"_a = 95, "progressive"_a = false,
      "optimize_size"_a = false, "chroma_downsampling"_a = true, "density_unit"_a = "in",
      "x_density"_a = 300, "y_density"_a = 300, "xmp_metadata"_a = "", name_argument(),
      "JPEG files of images, uint8: a string for each.");
  m.def(
      "is_jpeg",
      [](nb::handle contents, nb::handle) {
        return wrap(Tensor(io::is_jpeg(to_text(contents, "contents"))));
      },
      "contents"_a, name_argument(), "Whether bytes begin as a JPEG file does.");
}

void write_whole(const std::string& path, const std::string& bytes) {
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0)
    std::filesystem::create_directories(path.substr(0, slash));
  io::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void bind_files(nb::module_& m) {
  m.def(
      "read_file",
      [](Like filename, nb::handle) {
        const Tensor path = filename.tensor();
        return wrap(without_lock([&] { return io::read_file(path); }));
      },
      "filename"_a, name_argument(),
      described("The contents of files: a string for each path.", "read_file").c_str());
  m.def(
      "write_file",
      [](Like filename, Like contents, nb::handle) {
        const Tensor path = filename.tensor(), bytes = contents.tensor();
        if (path.is_symbolic() || bytes.is_symbolic()) {
          const auto write = [](const std::vector<Tensor>& in) {
            write_whole(in[0].item<std::string>(), in[1].item<std::string>());
            return std::vector<Tensor>();
          };
          host_function(write, {path, bytes}, {});
          return;
        }
        const std::string to = path.item<std::string>(), text = bytes.item<std::string>();
        without_lock([&] {
          write_whole(to, text);
          return 0;
        });
      },
      "filename"_a, "contents"_a, name_argument(),
      "Writes a string to a file, which appears whole or not at all. Folders are made.");
  m.def(
      "matching_files",
      [](Like pattern, nb::handle) {
        const std::vector<std::string> patterns =
            reshape(pattern.tensor(), {-1}).to_vector<std::string>();
        std::vector<std::string> paths;
        try {
          paths = io::glob(patterns);
        } catch (const NotFoundError&) {  // no file is no error here
        }
        return wrap(Tensor(paths, {static_cast<int64_t>(paths.size())}));
      },
      "pattern"_a, name_argument(), "The files that match a pattern, sorted.");
}

}  // namespace

void bind_ops_io(nb::module_& m) {
  nb::module_ io = m.def_submodule("io", "tf.io");
  bind_pictures(io);
  bind_files(io);
  bind_ops_io_records(io);
}

}  // namespace alula::python
