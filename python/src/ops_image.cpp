#include "python/src/module.h"
#include "python/src/ops.h"

// tf.image.
namespace alula::python {
namespace {

/// A function of an image and an amount, a number or a scalar tensor.
template <Tensor (*kFunction)(const Tensor&, const Argument&)>
void def_adjust(nb::module_& m, const char* name, const char* image, const char* amount,
                const char* doc) {
  m.def(
      name,
      [](Like image, Like amount, nb::handle) {
        const Tensor x = image.tensor();
        const bool number =
            PyFloat_Check(amount.handle().ptr()) || PyLong_Check(amount.handle().ptr());
        const Argument by =
            number ? Argument(nb::cast<double>(amount.handle())) : Argument(amount.tensor());
        return computed(work_of(x), [&] { return kFunction(x, by); });
      },
      nb::arg(image), nb::arg(amount), name_argument(), doc);
}

template <Tensor (*kFunction)(const Tensor&, double, const image::RandomOptions&)>
void def_random_delta(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like image, double max_delta, nb::handle seed) {
        const Tensor x = image.tensor();
        const image::RandomOptions options{.seed = to_seed(seed)};
        return computed(work_of(x), [&] { return kFunction(x, max_delta, options); });
      },
      "image"_a, "max_delta"_a, "seed"_a = nb::none(), doc);
}

template <Tensor (*kFunction)(const Tensor&, const image::RandomFactorOptions&)>
void def_random_factor(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like image, double lower, double upper, nb::handle seed) {
        const Tensor x = image.tensor();
        const image::RandomFactorOptions options{
            .lower = lower, .upper = upper, .seed = to_seed(seed)};
        return computed(work_of(x), [&] { return kFunction(x, options); });
      },
      "image"_a, "lower"_a, "upper"_a, "seed"_a = nb::none(), doc);
}

template <Tensor (*kFunction)(const Tensor&, const image::RandomOptions&)>
void def_random_flip(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like image, nb::handle seed) {
        const Tensor x = image.tensor();
        const image::RandomOptions options{.seed = to_seed(seed)};
        return computed(work_of(x), [&] { return kFunction(x, options); });
      },
      "image"_a, "seed"_a = nb::none(), doc);
}

template <Tensor (*kFunction)(const Tensor&, const image::BoundingBox&)>
void def_box(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like image, nb::handle offset_height, nb::handle offset_width, nb::handle target_height,
         nb::handle target_width, nb::handle) {
        const Tensor x = image.tensor();
        const image::BoundingBox box{.offset_height = to_int(offset_height, "offset_height"),
                                     .offset_width = to_int(offset_width, "offset_width"),
                                     .target_height = to_int(target_height, "target_height"),
                                     .target_width = to_int(target_width, "target_width")};
        return computed(work_of(x), [&] { return kFunction(x, box); });
      },
      "image"_a, "offset_height"_a, "offset_width"_a, "target_height"_a, "target_width"_a,
      name_argument(), doc);
}

void bind_adjusting(nb::module_& m) {
  using namespace image;
  def_adjust<adjust_brightness>(m, "adjust_brightness", "image", "delta",
                                "Adds `delta`.\n\n>>> tf.image.adjust_brightness([0.5, 0.9], "
                                "0.25).numpy()\narray([0.75, 1.15], dtype=float32)");
  def_adjust<adjust_contrast>(m, "adjust_contrast", "images", "contrast_factor",
                              "Moves each value away from the mean of its channel.");
  def_adjust<adjust_hue>(m, "adjust_hue", "image", "delta",
                         "Turns the hue by `delta`: 1 is all the way round.");
  def_adjust<adjust_saturation>(m, "adjust_saturation", "image", "saturation_factor",
                                "Multiplies the saturation, and cuts it off at 1.");
  def_random_delta<random_brightness>(m, "random_brightness",
                                      "Adds a number drawn from [-max_delta, max_delta).");
  def_random_delta<random_hue>(m, "random_hue",
                               "Turns the hue by a number drawn from [-max_delta, max_delta).");
  def_random_factor<random_contrast>(m, "random_contrast",
                                     "adjust_contrast by a factor drawn from [lower, upper).");
  def_random_factor<random_saturation>(m, "random_saturation",
                                       "adjust_saturation by a factor from [lower, upper).");
  m.def(
      "adjust_gamma",
      [](Like image, double gamma, double gain) {
        const Tensor x = image.tensor();
        return computed(work_of(x),
                        [&] { return adjust_gamma(x, {.gamma = gamma, .gain = gain}); });
      },
      "image"_a, "gamma"_a = 1.0, "gain"_a = 1.0, "gain * image ** gamma, elementwise.");
  m.def(
      "convert_image_dtype",
      [](Like image, DTypeLike dtype, bool saturate, nb::handle) {
        const Tensor x = image.tensor();
        const DType to = dtype.get();
        return computed(work_of(x),
                        [&] { return convert_image_dtype(x, to, {.saturate = saturate}); });
      },
      "image"_a, "dtype"_a, "saturate"_a = false, name_argument(),
      "An image with elements of another dtype, scaled: floats from 0 to 1, integers from 0 to "
      "their largest.\n\n>>> tf.image.convert_image_dtype([0.0, 0.2, 1.0], tf.uint8).numpy()\n"
      "array([  0,  51, 255], dtype=uint8)");
  const auto of_one = [&](const char* name, const char* argument, Tensor (*f)(const Tensor&),
                          const char* doc) { def_of_one(m, name, argument, f, doc); };
  of_one("rgb_to_hsv", "images", rgb_to_hsv, "Hue, saturation and value of colours in [0, 1].");
  of_one("hsv_to_rgb", "images", hsv_to_rgb, "Red, green and blue of hue, saturation and value.");
  of_one("rgb_to_grayscale", "images", rgb_to_grayscale,
         "The brightness that the eye sees, in one channel.");
  of_one("grayscale_to_rgb", "images", grayscale_to_rgb, "The one channel three times.");
  of_one("per_image_standardization", "image", per_image_standardization,
         "Each image with mean 0 and variance 1.");
  of_one("total_variation", "images", total_variation, "How much neighbouring pixels differ.");
  m.def(
      "psnr",
      [](Like a, Like b, double max_val, nb::handle) {
        const Pair pair(a, b);
        return computed(pair.work(), [&] { return psnr(pair.a, pair.b, max_val); });
      },
      "a"_a, "b"_a, "max_val"_a, name_argument(),
      "The peak signal-to-noise ratio of images, in decibels.");
}

void bind_moving(nb::module_& m) {
  using namespace image;
  def_of_one(m, "flip_left_right", "image", flip_left_right, "The columns in reverse order.");
  def_of_one(m, "flip_up_down", "image", flip_up_down, "The rows in reverse order.");
  def_of_one(m, "transpose", "image", image::transpose, "Rows become columns.");
  def_random_flip<random_flip_left_right>(m, "random_flip_left_right",
                                          "Mirrored or not, with equal chance.");
  def_random_flip<random_flip_up_down>(m, "random_flip_up_down",
                                       "Upside down or not, with equal chance.");
  def_box<crop_to_bounding_box>(m, "crop_to_bounding_box", "A part of an image.");
  def_box<pad_to_bounding_box>(m, "pad_to_bounding_box",
                               "An image with zeros around it, of the target's size.");
  m.def(
      "rot90",
      [](Like image, nb::handle k, nb::handle) {
        return wrap(rot90(image.tensor(), to_int(k, "k")));
      },
      "image"_a, "k"_a = 1, name_argument(), "Turned counter-clockwise by k right angles.");
  m.def(
      "central_crop",
      [](Like image, double central_fraction) {
        return wrap(central_crop(image.tensor(), central_fraction));
      },
      "image"_a, "central_fraction"_a,
      "The middle of an image.\n\n>>> tf.image.central_crop(tf.zeros([6, 8, 3]), 0.5).shape\n"
      "TensorShape([4, 4, 3])");
  m.def(
      "resize_with_crop_or_pad",
      [](Like image, nb::handle target_height, nb::handle target_width) {
        return wrap(resize_with_crop_or_pad(image.tensor(), to_int(target_height, "target_height"),
                                            to_int(target_width, "target_width")));
      },
      "image"_a, "target_height"_a, "target_width"_a,
      "The middle of an image, or the image with zeros on both sides.");
  m.def(
      "random_crop",
      [](Like value, nb::handle size, nb::handle seed, nb::handle) {
        return wrap(
            random_crop(value.tensor(), to_short_ints(size, "size"), {.seed = to_seed(seed)}));
      },
      "value"_a, "size"_a, "seed"_a = nb::none(), name_argument(),
      "A part of a tensor at a random place.");
  m.def(
      "resize",
      [](Like images, nb::handle size, const std::string& method, bool preserve_aspect_ratio,
         bool antialias, nb::handle) {
        const Tensor x = images.tensor();
        const std::vector<int64_t> to = to_ints(size, "size");
        require(to.size() == 2, "resize: the size must be [height, width]. Got {} numbers.",
                to.size());
        const ResizeOptions options{.method = method,
                                    .preserve_aspect_ratio = preserve_aspect_ratio,
                                    .antialias = antialias};
        return computed(work_of(x), [&] { return image::resize(x, {to[0], to[1]}, options); });
      },
      "images"_a, "size"_a, "method"_a = "bilinear", "preserve_aspect_ratio"_a = false,
      "antialias"_a = false, name_argument(),
      "Images of another size; float32 unless the method is \"nearest\".\n\n"
      ">>> tf.image.resize(tf.ones([4, 4, 1]), [2, 3]).shape\nTensorShape([2, 3, 1])");
}

}  // namespace

void bind_ops_image(nb::module_& m) {
  nb::module_ image = m.def_submodule("image", "tf.image");
  bind_adjusting(image);
  bind_moving(image);
}

}  // namespace alula::python
