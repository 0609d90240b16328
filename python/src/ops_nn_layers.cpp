#include "python/src/ops.h"

// tf.nn: what layers and losses are made of.
namespace alula::python {
namespace {

Tensor normalized(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& offset,
                  const Tensor& scale, double epsilon) {
  Tensor factor = rsqrt(variance + epsilon);
  if (scale.defined()) factor = factor * scale;
  const Tensor shift = offset.defined() ? offset - mean * factor : -(mean * factor);
  return x * cast(factor, x.dtype()) + cast(shift, x.dtype());
}

/// Blocks of pixels to channels, and back: [batch, height, width, channels].
Tensor to_depth(const Tensor& x, int64_t block) {
  const Shape& s = x.shape();
  require(x.rank() == 4 && block >= 2 && s[1] % block == 0 && s[2] % block == 0,
          "space_to_depth: height and width must be multiples of the block's size, {}. Got {}.",
          block, x.spec());
  const Tensor parts = reshape(x, {s[0], s[1] / block, block, s[2] / block, block, s[3]});
  return reshape(transpose(parts, {0, 1, 3, 2, 4, 5}),
                 {s[0], s[1] / block, s[2] / block, block * block * s[3]});
}
Tensor from_depth(const Tensor& x, int64_t block) {
  const Shape& s = x.shape();
  require(
      x.rank() == 4 && block >= 2 && s[3] % (block * block) == 0,
      "depth_to_space: the channels must be a multiple of the block's size, {}, squared. Got {}.",
      block, x.spec());
  const int64_t channels = s[3] / (block * block);
  const Tensor parts = reshape(x, {s[0], s[1], s[2], block, block, channels});
  return reshape(transpose(parts, {0, 1, 3, 2, 4, 5}),
                 {s[0], s[1] * block, s[2] * block, channels});
}

template <Tensor (*kFunction)(const Tensor&, int64_t)>
void def_blocks(nb::module_& nn, const char* name, const char* doc) {
  nn.def(
      name,
      [](Like input, int64_t block_size, nb::handle, const std::string& data_format) {
        require(data_format == "NHWC" || data_format == "NCHW",
                "nn: the data_format is NHWC or NCHW. Got {}.", data_format);
        const Tensor x = input.tensor();
        return computed(work_of(x), [&] {
          if (data_format == "NHWC") return kFunction(x, block_size);
          return transpose(kFunction(transpose(x, {0, 2, 3, 1}), block_size), {0, 3, 1, 2});
        });
      },
      "input"_a, "block_size"_a, name_argument(), "data_format"_a = "NHWC", doc);
}

template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
void def_loss(nb::module_& nn, const char* name, const char* doc) {
  nn.def(
      name,
      [](Like labels, Like logits, nb::handle) {
        const Tensor scores = logits.tensor(), targets = labels.tensor(scores.dtype());
        return computed(work_of(scores), [&] { return kFunction(targets, scores); });
      },
      "labels"_a = nb::none(), "logits"_a = nb::none(), name_argument(), doc);
}

}  // namespace

void bind_ops_nn_layers(nb::module_& nn) {
  nn.def(
      "dropout",
      [](Like x, double rate, nb::handle noise_shape, nb::handle seed, nb::handle) {
        const Tensor tensor = x.tensor();
        const DropoutOptions options{
            .noise_shape = noise_shape.is_none() ? Shape() : to_shape(noise_shape),
            .seed = to_seed(seed)};
        return computed(work_of(tensor), [&] { return dropout(tensor, rate, options); });
      },
      "x"_a, "rate"_a, "noise_shape"_a = nb::none(), "seed"_a = nb::none(), name_argument(),
      "A part of the elements is 0, the others are divided by 1 - rate. Floating types.");
  nn.def(
      "batch_normalization",
      [](Like x, Like mean, Like variance, Like offset, Like scale, double variance_epsilon,
         nb::handle) {
        const Tensor tensor = x.tensor();
        const DType dtype = tensor.dtype();
        const auto optional = [&](Like value) {
          return value.is_none() ? Tensor() : value.tensor(dtype);
        };
        const Tensor m = mean.tensor(dtype), v = variance.tensor(dtype);
        const Tensor shift = optional(offset), factor = optional(scale);
        return computed(work_of(tensor),
                        [&] { return normalized(tensor, m, v, shift, factor, variance_epsilon); });
      },
      "x"_a, "mean"_a, "variance"_a, "offset"_a.none(), "scale"_a.none(), "variance_epsilon"_a,
      name_argument(), "(x - mean) / sqrt(variance + epsilon) * scale + offset. Floating types.");
  def_loss<sigmoid_cross_entropy_with_logits>(
      nn, "sigmoid_cross_entropy_with_logits",
      "The loss of each logit against a probability. Floating types.\n\n"
      ">>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy()\n"
      "array([0.6931472], dtype=float32)");
  nn.def(
      "weighted_cross_entropy_with_logits",
      [](Like labels, Like logits, Like pos_weight, nb::handle) {
        const Tensor scores = logits.tensor(), targets = labels.tensor(scores.dtype());
        const Tensor weight = pos_weight.tensor(scores.dtype());
        return computed(work_of(scores), [&] {
          return weighted_cross_entropy_with_logits(targets, scores, weight);
        });
      },
      "labels"_a, "logits"_a, "pos_weight"_a, name_argument(),
      "sigmoid_cross_entropy_with_logits with the positive part weighted. Floating types.");
  def_of_one(nn, "l2_loss", "t", l2_loss,
             "Half of the sum of the squares. Floating types.\n\n"
             ">>> float(tf.nn.l2_loss([3.0, 4.0]))\n12.5");
  nn.def(
      "crelu",
      [](Like features, nb::handle axis, nb::handle) {
        const Tensor x = features.tensor();
        const int64_t along = to_int(axis, "axis");
        return computed(work_of(x), [&] { return concat({relu(x), relu(-x)}, along); });
      },
      "features"_a, "axis"_a = -1, name_argument(),
      "relu of x and relu of -x, one behind the other. Floating types.");
  nn.def(
      "embedding_lookup",
      [](Like params, Like ids, Like max_norm, nb::handle) {
        const Tensor table = params.tensor(), at = ids.tensor();
        const Tensor most = max_norm.is_none() ? Tensor() : max_norm.tensor(table.dtype());
        return computed(work_of(at), [&] {
          const Tensor rows = gather(table, at);
          if (!most.defined()) return rows;
          std::vector<int64_t> axes;
          for (int i = at.rank(); i < rows.rank(); ++i) axes.push_back(i);
          return clip_by_norm(rows, most, {.axes = Axes(axes)});
        });
      },
      "params"_a, "ids"_a, "max_norm"_a = nb::none(), name_argument(),
      "The rows of a table.\n\n>>> tf.nn.embedding_lookup([[1.0], [2.0]], [1, 0]).numpy()\n"
      "array([[2.],\n       [1.]], dtype=float32)");
  def_blocks<to_depth>(nn, "space_to_depth", "Blocks of pixels as channels.");
  def_blocks<from_depth>(nn, "depth_to_space", "Channels as blocks of pixels.");
}

}  // namespace alula::python
