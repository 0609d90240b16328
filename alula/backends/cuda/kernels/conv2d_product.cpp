#include "alula/backends/cuda/kernels/conv2d.h"
#include "alula/backends/cuda/kernels/conv2d_constants.h"
#include "alula/backends/cuda/kernels/product.h"

namespace alula::cuda {
namespace {

constexpr std::string_view kFiles = "arithmetic product conv2d_product";

/// The device code's structs: a factor that knows its shapes, with or without the number of lines.
struct Lines {
  const void* data;
  int lines;
};
struct Fixed {
  const void* data;
};

template <class Value>
ProductFactor<Value> factor(std::string_view name, const View& view, const Value& value) {
  return {fmt::format("{}<{}, Shape>", name, type_name(view.dtype())), value};
}

/// Rows of all channels, of which a product takes those of one group: a filter, or results.
ProductFactor<ProductMatrix> channels_of(const View& view, const Conv2DShape& shape) {
  return {fmt::format("Matrix<{}, false, 1>", type_name(view.dtype())),
          {.data = view.data,
           .lines = static_cast<int>(shape.group_out()),
           .row = static_cast<int>(shape.out_channels),
           .batch = {.dims = {static_cast<int>(shape.groups)}, .steps = {shape.group_out()}}}};
}

int64_t pixels(const Conv2DShape& shape) {
  return shape.batch * shape.windows.y.output * shape.windows.x.output;
}

void check_size(const Conv2DShape& shape) {
  const int64_t inputs = shape.batch * shape.windows.y.input * shape.windows.x.input;
  require<UnimplementedError>(pixels(shape) < int64_t{1} << 31 && inputs < int64_t{1} << 31,
                              "conv2d: {} images are too many at once for a GPU.", shape.batch);
}

std::string shape_source(const Conv2DShape& shape) {
  return constants("Shape", conv2d_constants(shape));
}

}  // namespace

void conv2d_by_product(const KernelCall& call, const Conv2DShape& shape,
                       const InlineProgram& after) {
  check_size(shape);
  const View &input = call.inputs[0], &filter = call.inputs[1];
  const ProductShape product{
      .dtype = input.dtype(),
      .m = pixels(shape),
      .n = shape.group_out(),
      .k = shape.taps() * shape.group_in(),
      .batch = shape.groups,
      .place = {shape.group_out(), shape.out_channels, static_cast<int>(shape.group_out())},
      .size = pixels(shape) * shape.out_channels,
      .columns = shape.out_channels};
  run_product(call, product, kFiles, shape_source(shape),
              factor("ConvWindows", input, Lines{input.data, static_cast<int>(product.m)}),
              channels_of(filter, shape), after);
}

void conv2d_input_by_product(const KernelCall& call, const Conv2DShape& shape, const View& filter,
                             const View& gradient, const View& result) {
  check_size(shape);
  const ProductShape product{
      .dtype = filter.dtype(),
      .m = shape.batch * shape.windows.y.input * shape.windows.x.input,
      .n = shape.group_in(),
      .k = shape.taps() * shape.group_out(),
      .batch = shape.groups,
      .place = {shape.group_in(), shape.in_channels, static_cast<int>(shape.group_in())},
      .size = result.size(),
      .columns = shape.in_channels};
  run_product(call, product, kFiles, shape_source(shape),
              factor("ConvGradients", gradient, Lines{gradient.data, static_cast<int>(product.m)}),
              factor("ConvWeightsBack", filter, Fixed{filter.data}),
              program_after(nullptr, result.dtype(), {}, {&result, 1}));
}

void conv2d_filter_by_product(const KernelCall& call, const Conv2DShape& shape, const View& input,
                              const View& gradient, const View& result) {
  check_size(shape);
  const ProductShape product{
      .dtype = input.dtype(),
      .m = shape.taps() * shape.group_in(),
      .n = shape.group_out(),
      .k = pixels(shape),
      .batch = shape.groups,
      .place = {shape.group_out(), shape.out_channels, static_cast<int>(shape.group_out())},
      .size = result.size(),
      .columns = shape.out_channels};
  run_product(call, product, kFiles, shape_source(shape),
              factor("ConvWindowsAcross", input, Fixed{input.data}), channels_of(gradient, shape),
              program_after(nullptr, result.dtype(), {}, {&result, 1}));
}

}  // namespace alula::cuda
