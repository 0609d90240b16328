#include "python/src/keras_layer.h"

namespace alula::python {
namespace {

using namespace alula::keras;

void bind_core(nb::module_& m) {
  def_layer<DenseImpl>(
      m, "Dense",
      "activation(x kernel + bias). x: [..., n], result: [..., units].\n\n"
      ">>> layer = tf.keras.layers.Dense(2, kernel_initializer=\"ones\")\n"
      ">>> layer(tf.constant([[1.0, 2.0]])).numpy()\narray([[3., 3.]], dtype=float32)",
      {needed("units", &DenseOptions::units), field("activation", &DenseOptions::activation),
       field("use_bias", &DenseOptions::use_bias),
       field("kernel_initializer", &DenseOptions::kernel_initializer),
       field("bias_initializer", &DenseOptions::bias_initializer),
       field("kernel_regularizer", &DenseOptions::kernel_regularizer),
       field("bias_regularizer", &DenseOptions::bias_regularizer)},
      {weight<&DenseImpl::kernel>("kernel"), weight<&DenseImpl::bias>("bias")});
  def_layer<EmbeddingImpl>(
      m, "Embedding",
      "A vector for each number. x: [...] of integers from 0 to input_dim - 1, result: [..., "
      "output_dim].",
      {needed("input_dim", &EmbeddingOptions::input_dim),
       needed("output_dim", &EmbeddingOptions::output_dim),
       field("embeddings_initializer", &EmbeddingOptions::embeddings_initializer),
       field("embeddings_regularizer", &EmbeddingOptions::embeddings_regularizer),
       missing("embeddings_constraint"), field("mask_zero", &EmbeddingOptions::mask_zero),
       keyword(missing("input_length"))},
      {weight<&EmbeddingImpl::embeddings>("embeddings")});
  def_layer<FlattenImpl>(m, "Flatten",
                         "All that belongs to an example in one row. x: [batch, ...], result: "
                         "[batch, n].\n\n"
                         ">>> tf.keras.layers.Flatten()(tf.zeros((2, 3, 4))).shape\n"
                         "TensorShape([2, 12])",
                         {field("data_format", &FlattenOptions::data_format)});
  def_layer<ReshapeImpl>(m, "Reshape",
                         "Each example in another shape; one size may be -1.\n\n"
                         ">>> tf.keras.layers.Reshape((3, -1))(tf.zeros((2, 6))).shape\n"
                         "TensorShape([2, 3, 2])",
                         {needed("target_shape", &ReshapeOptions::target_shape)});
  def_layer<PermuteImpl>(m, "Permute",
                         "The dimensions of each example in another order, counted from 1.",
                         {needed("dims", &PermuteOptions::dims)});
  def_layer<RescalingImpl>(
      m, "Rescaling", "x * scale + offset.",
      {needed("scale", &RescalingOptions::scale), field("offset", &RescalingOptions::offset)});
  def_layer<DropoutImpl>(m, "Dropout",
                         "In training, sets a share of the elements to 0 at random and scales the "
                         "others; otherwise the input itself.",
                         {needed("rate", &keras::DropoutOptions::rate),
                          field("noise_shape", &keras::DropoutOptions::noise_shape),
                          field("seed", &keras::DropoutOptions::seed)});
  def_layer<IdentityImpl>(m, "IdentityLayer", "The input itself.", {});
  def_layer<LambdaImpl>(m, "Lambda",
                        "Any function of a tensor that has no weights of its own.\n\n"
                        ">>> tf.keras.layers.Lambda(lambda x: x ** 2)(tf.constant([3.0])).numpy()\n"
                        "array([9.], dtype=float32)",
                        {needed("function", &LambdaOptions::function), missing("output_shape"),
                         missing("mask"), missing("arguments")});
}

void bind_activations(nb::module_& m) {
  def_layer<ActivationImpl>(m, "Activation", "A function of each element, by its word or itself.",
                            {needed("activation", &ActivationOptions::activation)});
  def_layer<ReLUImpl>(
      m, "ReLU", "x above the threshold, at most max_value, and a line of negative_slope below it.",
      {field("max_value", &ReLUOptions::max_value),
       field("negative_slope", &ReLUOptions::negative_slope),
       field("threshold", &ReLUOptions::threshold)});
  def_layer<LeakyReLUImpl>(m, "LeakyReLU", "x above 0, negative_slope * x below.",
                           {field("negative_slope", &LeakyReLUOptions::negative_slope)});
  def_layer<ELUImpl>(m, "ELU", "x above 0, alpha * (exp(x) - 1) below.",
                     {field("alpha", &ELUOptions::alpha)});
  def_layer<SoftmaxImpl>(m, "Softmax", "exp(x) / sum(exp(x)) along an axis.",
                         {field("axis", &SoftmaxLayerOptions::axis)});
}

void bind_normalizations(nb::module_& m) {
  using BN = BatchNormalizationOptions;
  def_layer<BatchNormalizationImpl>(
      m, "BatchNormalization",
      "Gives each channel mean 0 and variance 1, then scales by gamma and adds beta: in training "
      "by "
      "the batch's statistics, otherwise by their moving averages.",
      {field("axis", &BN::axis), field("momentum", &BN::momentum), field("epsilon", &BN::epsilon),
       field("center", &BN::center), field("scale", &BN::scale),
       field("beta_initializer", &BN::beta_initializer),
       field("gamma_initializer", &BN::gamma_initializer),
       field("moving_mean_initializer", &BN::moving_mean_initializer),
       field("moving_variance_initializer", &BN::moving_variance_initializer),
       field("beta_regularizer", &BN::beta_regularizer),
       field("gamma_regularizer", &BN::gamma_regularizer), missing("beta_constraint"),
       missing("gamma_constraint"), missing("synchronized")},
      {weight<&BatchNormalizationImpl::gamma>("gamma"),
       weight<&BatchNormalizationImpl::beta>("beta"),
       weight<&BatchNormalizationImpl::moving_mean>("moving_mean"),
       weight<&BatchNormalizationImpl::moving_variance>("moving_variance")});
  using LN = LayerNormalizationOptions;
  def_layer<LayerNormalizationImpl>(
      m, "LayerNormalization",
      "Gives each example mean 0 and variance 1 along some axes, then scales by gamma and adds "
      "beta.",
      {field("axis", &LN::axis), field("epsilon", &LN::epsilon), field("center", &LN::center),
       field("scale", &LN::scale), field("beta_initializer", &LN::beta_initializer),
       field("gamma_initializer", &LN::gamma_initializer),
       field("beta_regularizer", &LN::beta_regularizer),
       field("gamma_regularizer", &LN::gamma_regularizer), missing("beta_constraint"),
       missing("gamma_constraint")},
      {weight<&LayerNormalizationImpl::gamma>("gamma"),
       weight<&LayerNormalizationImpl::beta>("beta")});
}

void bind_merging(nb::module_& m) {
  def_layer<AddImpl>(m, "Add", "The sum of its inputs, which broadcast.", {});
  def_layer<SubtractImpl>(m, "Subtract", "The first of two inputs minus the second.", {});
  def_layer<MultiplyImpl>(m, "Multiply", "The product of its inputs.", {});
  def_layer<AverageImpl>(m, "Average", "The mean of its inputs.", {});
  def_layer<MaximumImpl>(m, "Maximum", "The largest of its inputs, element by element.", {});
  def_layer<MinimumImpl>(m, "Minimum", "The smallest of its inputs, element by element.", {});
  def_layer<ConcatenateImpl>(m, "Concatenate", "Its inputs one after another along an axis.",
                             {field("axis", &ConcatenateOptions::axis)});
}

}  // namespace

void bind_keras_image_layers(nb::module_& m);

void bind_keras_layers(nb::module_& m) {
  bind_core(m);
  bind_activations(m);
  bind_normalizations(m);
  bind_merging(m);
  bind_keras_image_layers(m);
}

}  // namespace alula::python
