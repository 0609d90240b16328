#include <algorithm>

#include "python/src/ops.h"

// tf.nn: what slides a window over images. Channels may be first: images are transposed then.
namespace alula::python {
namespace {

/// Where the batch, the channels and the pixels of an image tensor are.
class Layout {
 public:
  Layout(nb::handle data_format, const char* who) {
    if (data_format.is_none()) return;
    const std::string word = to_text(data_format, "data_format");
    require(word == "NHWC" || word == "NCHW", "{}: the data_format is NHWC or NCHW. Got {}.", who,
            word);
    first_ = word == "NCHW";
  }
  bool channels_first() const { return first_; }
  Tensor to_last(const Tensor& x) const {
    return first_ && x.rank() == 4 ? transpose(x, {0, 2, 3, 1}) : x;
  }
  Tensor from_last(const Tensor& x) const { return first_ ? transpose(x, {0, 3, 1, 2}) : x; }
  Shape to_last(const Shape& shape) const {
    return first_ && shape.rank() == 4 ? Shape{shape[0], shape[2], shape[3], shape[1]} : shape;
  }

  /// Strides and the like: one number, two, or four with those of batch and channels, which are 1.
  Size2 size(nb::handle value, const char* who, int64_t other = 1) const {
    if (value.is_none()) return other;
    const std::vector<int64_t> ints = to_ints(value, who);
    if (ints.size() == 1) return ints[0];
    if (ints.size() == 2) return {ints[0], ints[1]};
    require(ints.size() == 4, "{}: must be 1, 2 or 4 integers. Got {} of them.", who, ints.size());
    require(ints[0] == 1 && ints[first_ ? 1 : 3] == 1,
            "{}: those of batch and channels must be 1. Got [{},{},{},{}].", who, ints[0], ints[1],
            ints[2], ints[3]);
    return first_ ? Size2(ints[2], ints[3]) : Size2(ints[1], ints[2]);
  }
  /// A word, or [[0, 0], [top, bottom], [left, right], [0, 0]].
  Padding padding(nb::handle value, const char* who) const {
    if (PyUnicode_Check(value.ptr())) return std::string_view(nb::cast<std::string>(value));
    const Tensor sizes = cast(to_tensor(value), int64);
    require(sizes.shape() == (Shape{4, 2}), "{}: the padding is a word or [4, 2] numbers. Got {}.",
            who, sizes.spec());
    const std::vector<int64_t> p = sizes.to_vector<int64_t>();
    const size_t h = first_ ? 4 : 2;
    return {p[h], p[h + 1], p[h + 2], p[h + 3]};
  }

 private:
  bool first_ = false;
};

Conv2DOptions conv_options(const Layout& layout, nb::handle strides, nb::handle padding,
                           nb::handle dilations, const char* who) {
  return {.strides = layout.size(strides, "strides"),
          .padding = layout.padding(padding, who),
          .dilations = layout.size(dilations, "dilations")};
}

/// A filter for each channel: conv2d with as many groups as channels.
Tensor depthwise(const Tensor& images, const Tensor& filter, const Conv2DOptions& options) {
  const Shape& f = filter.shape();
  require(f.rank() == 4,
          "depthwise_conv2d: the filter must be [height, width, channels, "
          "multiplier]. Got {}.",
          filter.spec());
  require(images.rank() == 4 && images.shape()[3] == f[2],
          "depthwise_conv2d: the input must have as many channels as the filter. Got {}, {}.",
          images.spec(), filter.spec());
  return conv2d(images, reshape(filter, {f[0], f[1], 1, f[2] * f[3]}), options);
}

void bind_convolutions(nb::module_& nn) {
  nn.def(
      "conv2d",
      [](Like input, Like filters, nb::handle strides, nb::handle padding, nb::handle data_format,
         nb::handle dilations, nb::handle) {
        const Layout layout(data_format, "conv2d");
        const Pair pair(input, filters);
        const Conv2DOptions options = conv_options(layout, strides, padding, dilations, "conv2d");
        return computed(pair.work(), [&] {
          return layout.from_last(conv2d(layout.to_last(pair.a), pair.b, options));
        });
      },
      "input"_a, "filters"_a, "strides"_a, "padding"_a, "data_format"_a = "NHWC",
      "dilations"_a = nb::none(), name_argument(),
      described("The cross-correlation of images [batch, height, width, channels] with filters "
                "[height, width, in, out].\n\n>>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), "
                "tf.ones([2, 2, 1, 1]), strides=1, padding=\"VALID\").numpy().ravel()\n"
                "array([4., 4., 4., 4.], dtype=float32)",
                "conv2d")
          .c_str());
  nn.def(
      "conv2d_transpose",
      [](Like input, Like filters, ShapeLike output_shape, nb::handle strides, nb::handle padding,
         nb::handle data_format, nb::handle dilations, nb::handle) {
        const Layout layout(data_format, "conv2d_transpose");
        const Pair pair(input, filters);
        const Conv2DOptions options =
            conv_options(layout, strides, padding, dilations, "conv2d_transpose");
        const Shape shape = layout.to_last(output_shape.get());
        return computed(pair.work(), [&] {
          return layout.from_last(conv2d_transpose(layout.to_last(pair.a), pair.b, shape, options));
        });
      },
      "input"_a, "filters"_a, "output_shape"_a, "strides"_a, "padding"_a = "SAME",
      "data_format"_a = "NHWC", "dilations"_a = nb::none(), name_argument(),
      described("The transpose of conv2d: it maps what that makes back to what it takes. Filters "
                "are [height, width, out, in].",
                "conv2d_backprop_input")
          .c_str());
  nn.def(
      "depthwise_conv2d",
      [](Like input, Like filter, nb::handle strides, nb::handle padding, nb::handle data_format,
         nb::handle dilations, nb::handle) {
        const Layout layout(data_format, "depthwise_conv2d");
        const Pair pair(input, filter);
        const Conv2DOptions options =
            conv_options(layout, strides, padding, dilations, "depthwise_conv2d");
        return computed(pair.work(), [&] {
          return layout.from_last(depthwise(layout.to_last(pair.a), pair.b, options));
        });
      },
      "input"_a, "filter"_a, "strides"_a, "padding"_a, "data_format"_a = nb::none(),
      "dilations"_a = nb::none(), name_argument(),
      described("Each channel with filters of its own, [height, width, channels, multiplier].",
                "conv2d")
          .c_str());
  nn.def(
      "separable_conv2d",
      [](Like input, Like depthwise_filter, Like pointwise_filter, nb::handle strides,
         nb::handle padding, nb::handle data_format, nb::handle dilations, nb::handle) {
        const Layout layout(data_format, "separable_conv2d");
        const Pair pair(input, depthwise_filter);
        const Tensor point = pointwise_filter.tensor(pair.a.dtype());
        const Conv2DOptions options =
            conv_options(layout, strides, padding, dilations, "separable_conv2d");
        return computed(pair.work(), [&] {
          return layout.from_last(
              conv2d(depthwise(layout.to_last(pair.a), pair.b, options), point));
        });
      },
      "input"_a, "depthwise_filter"_a, "pointwise_filter"_a, "strides"_a, "padding"_a,
      "data_format"_a = nb::none(), "dilations"_a = nb::none(), name_argument(),
      described("depthwise_conv2d, then conv2d with filters [1, 1, in, out].", "conv2d").c_str());
}

/// One number of a list that may have those of batch and channels, too.
int64_t along_width(nb::handle value, const char* who) {
  if (value.is_none()) return 1;
  const std::vector<int64_t> ints = to_ints(value, who);
  require(ints.size() == 1 || ints.size() == 3, "{}: must be 1 or 3 integers. Got {} of them.", who,
          ints.size());
  return ints.size() == 1 ? ints[0] : *std::max_element(ints.begin(), ints.end());
}

/// Rows of pixels as images of height 1, and back.
class Rows {
 public:
  Rows(nb::handle data_format, const char* who) {
    const std::string word = data_format.is_none() ? "NWC" : to_text(data_format, "data_format");
    require(word == "NWC" || word == "NCW", "{}: the data_format is NWC or NCW. Got {}.", who,
            word);
    first_ = word == "NCW";
  }
  Tensor to_images(const Tensor& x) const {
    return expand_dims(first_ ? transpose(x, {0, 2, 1}) : x, 1);
  }
  Tensor from_images(const Tensor& y) const {
    return first_ ? transpose(squeeze(y, 1), {0, 2, 1}) : squeeze(y, 1);
  }

 private:
  bool first_ = false;
};

void bind_rows(nb::module_& nn) {
  nn.def(
      "conv1d",
      [](Like input, Like filters, nb::handle stride, const std::string& padding,
         nb::handle data_format, nb::handle dilations, nb::handle) {
        const Rows rows(data_format, "conv1d");
        const Pair pair(input, filters);
        const Conv2DOptions options{.strides = {1, along_width(stride, "stride")},
                                    .padding = std::string_view(padding),
                                    .dilations = {1, along_width(dilations, "dilations")}};
        return computed(pair.work(), [&] {
          return rows.from_images(conv2d(rows.to_images(pair.a), expand_dims(pair.b, 0), options));
        });
      },
      "input"_a, "filters"_a, "stride"_a, "padding"_a, "data_format"_a = "NWC",
      "dilations"_a = nb::none(), name_argument(),
      described("The cross-correlation of rows [batch, width, channels] with filters [width, in, "
                "out].",
                "conv2d")
          .c_str());
}

template <Tensor (*kFunction)(const Tensor&, const Pool2DOptions&)>
void def_pool1d(nb::module_& nn, const char* name, const std::string& doc) {
  nn.def(
      name,
      [name](Like input, nb::handle ksize, nb::handle strides, const std::string& padding,
             nb::handle data_format, nb::handle) {
        const Rows rows(data_format, name);
        const Tensor x = input.tensor();
        const Pool2DOptions options{.ksize = {1, along_width(ksize, "ksize")},
                                    .strides = {1, along_width(strides, "strides")},
                                    .padding = std::string_view(padding)};
        return computed(work_of(x),
                        [&] { return rows.from_images(kFunction(rows.to_images(x), options)); });
      },
      "input"_a, "ksize"_a, "strides"_a, "padding"_a, "data_format"_a = "NWC", name_argument(),
      doc.c_str());
}

template <Tensor (*kFunction)(const Tensor&, const Pool2DOptions&)>
void def_pool(nb::module_& nn, const char* name, const std::string& doc) {
  nn.def(
      name,
      [name](Like input, nb::handle ksize, nb::handle strides, nb::handle padding,
             nb::handle data_format, nb::handle) {
        const Layout layout(data_format, name);
        const Tensor x = input.tensor();
        const Size2 size = layout.size(ksize, "ksize");
        const Pool2DOptions options{.ksize = size,
                                    .strides = layout.size(strides, "strides"),
                                    .padding = layout.padding(padding, name)};
        return computed(work_of(x),
                        [&] { return layout.from_last(kFunction(layout.to_last(x), options)); });
      },
      "input"_a, "ksize"_a, "strides"_a, "padding"_a, "data_format"_a = "NHWC", name_argument(),
      doc.c_str());
}

}  // namespace

void bind_ops_nn_windows(nb::module_& nn) {
  bind_convolutions(nn);
  const std::string most = described("The largest value of each window of images.", "max_pool2d");
  const std::string mean = described("The mean of each window of images.", "avg_pool2d");
  bind_rows(nn);
  def_pool1d<max_pool2d>(nn, "max_pool1d", most);
  def_pool1d<avg_pool2d>(nn, "avg_pool1d", mean);
  def_pool<max_pool2d>(nn, "max_pool2d", most);
  def_pool<max_pool2d>(nn, "max_pool", most);
  def_pool<avg_pool2d>(nn, "avg_pool2d", mean);
  def_pool<avg_pool2d>(nn, "avg_pool", mean);
}

}  // namespace alula::python
