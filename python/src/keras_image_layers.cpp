#include "python/src/keras_layer.h"

namespace alula::python {

using namespace alula::keras;

void bind_keras_image_layers(nb::module_& m) {
  def_layer<Conv2DImpl>(
      m, "Conv2D",
      "activation(conv2d(x, kernel) + bias): filters slide over images. x: [batch, height, width, "
      "channels], result: [batch, out_height, out_width, filters].\n\n"
      ">>> tf.keras.layers.Conv2D(8, 3, padding=\"same\")(tf.zeros((1, 5, 5, 2))).shape\n"
      "TensorShape([1, 5, 5, 8])",
      {needed("filters", &keras::Conv2DOptions::filters),
       needed("kernel_size", &keras::Conv2DOptions::kernel_size),
       field("strides", &keras::Conv2DOptions::strides),
       field("padding", &keras::Conv2DOptions::padding),
       field("data_format", &keras::Conv2DOptions::data_format),
       field("dilation_rate", &keras::Conv2DOptions::dilation_rate),
       field("groups", &keras::Conv2DOptions::groups),
       field("activation", &keras::Conv2DOptions::activation),
       field("use_bias", &keras::Conv2DOptions::use_bias),
       field("kernel_initializer", &keras::Conv2DOptions::kernel_initializer),
       field("bias_initializer", &keras::Conv2DOptions::bias_initializer),
       field("kernel_regularizer", &keras::Conv2DOptions::kernel_regularizer),
       field("bias_regularizer", &keras::Conv2DOptions::bias_regularizer)},
      {weight<&Conv2DImpl::kernel>("kernel"), weight<&Conv2DImpl::bias>("bias")});
  using Transpose = Conv2DTransposeOptions;
  def_layer<Conv2DTransposeImpl>(
      m, "Conv2DTranspose", "The transpose of a convolution: it makes small images larger.",
      {needed("filters", &Transpose::filters), needed("kernel_size", &Transpose::kernel_size),
       field("strides", &Transpose::strides), field("padding", &Transpose::padding),
       missing("output_padding"), field("data_format", &Transpose::data_format),
       field("dilation_rate", &Transpose::dilation_rate),
       field("activation", &Transpose::activation), field("use_bias", &Transpose::use_bias),
       field("kernel_initializer", &Transpose::kernel_initializer),
       field("bias_initializer", &Transpose::bias_initializer),
       field("kernel_regularizer", &Transpose::kernel_regularizer),
       field("bias_regularizer", &Transpose::bias_regularizer)},
      {weight<&Conv2DTransposeImpl::kernel>("kernel"), weight<&Conv2DTransposeImpl::bias>("bias")});
  using Depthwise = DepthwiseConv2DOptions;
  def_layer<DepthwiseConv2DImpl>(
      m, "DepthwiseConv2D", "A convolution of each channel by itself, with filters of its own.",
      {needed("kernel_size", &Depthwise::kernel_size), field("strides", &Depthwise::strides),
       field("padding", &Depthwise::padding),
       field("depth_multiplier", &Depthwise::depth_multiplier),
       field("data_format", &Depthwise::data_format),
       field("dilation_rate", &Depthwise::dilation_rate),
       field("activation", &Depthwise::activation), field("use_bias", &Depthwise::use_bias),
       field("depthwise_initializer", &Depthwise::depthwise_initializer),
       field("bias_initializer", &Depthwise::bias_initializer),
       field("depthwise_regularizer", &Depthwise::depthwise_regularizer),
       field("bias_regularizer", &Depthwise::bias_regularizer),
       keyword(missing("depthwise_constraint"))},
      {weight<&DepthwiseConv2DImpl::kernel>("kernel"), weight<&DepthwiseConv2DImpl::bias>("bias")});
  def_layer<MaxPooling2DImpl>(m, "MaxPooling2D", "The largest value of each window.",
                              {field("pool_size", &MaxPooling2DOptions::pool_size),
                               field("strides", &MaxPooling2DOptions::strides),
                               field("padding", &MaxPooling2DOptions::padding),
                               field("data_format", &MaxPooling2DOptions::data_format)});
  def_layer<AveragePooling2DImpl>(m, "AveragePooling2D",
                                  "The mean of each window; padding does not count.",
                                  {needed("pool_size", &AveragePooling2DOptions::pool_size),
                                   field("strides", &AveragePooling2DOptions::strides),
                                   field("padding", &AveragePooling2DOptions::padding),
                                   field("data_format", &AveragePooling2DOptions::data_format)});
  def_layer<GlobalAveragePooling2DImpl>(m, "GlobalAveragePooling2D",
                                        "The mean of each channel of an image.",
                                        {field("data_format", &GlobalPooling2DOptions::data_format),
                                         field("keepdims", &GlobalPooling2DOptions::keepdims)});
  def_layer<GlobalMaxPooling2DImpl>(m, "GlobalMaxPooling2D",
                                    "The largest value of each channel of an image.",
                                    {field("data_format", &GlobalPooling2DOptions::data_format),
                                     field("keepdims", &GlobalPooling2DOptions::keepdims)});
  def_layer<ZeroPadding2DImpl>(m, "ZeroPadding2D", "Images with a border of zeros.",
                               {field("padding", &ZeroPadding2DOptions::padding),
                                field("data_format", &ZeroPadding2DOptions::data_format)});
}

}  // namespace alula::python
