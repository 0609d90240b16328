#include "python/src/module.h"
#include "python/src/ops.h"

// tf.nn.
namespace alula::python {
namespace {

const NamedElementwise kActivations[] = {
    {"relu", &relu,
     "x above 0, else 0, elementwise.\n\n>>> tf.nn.relu([-1.0, 2.0]).numpy()\n"
     "array([0., 2.], dtype=float32)",
     "features"},
    {"relu6", &relu6, "x between 0 and 6, elementwise.", "features"},
    {"selu", &selu, "The scaled elu, elementwise.", "features"},
};

Tensor silu_of(const Tensor& x, double beta) {
  return beta == 1 ? silu(x) : mul(x, sigmoid(mul(x, Tensor(Number(beta), x.dtype()))));
}

Tensor along_channels(const Tensor& value, const Tensor& bias, bool first) {
  if (!first) return bias_add(value, bias);
  require(value.rank() >= 2 && bias.rank() == 1 && bias.size() == value.shape()[1],
          "bias_add: needs a bias for each channel, the second dimension. Got {}, {}.",
          value.spec(), bias.spec());
  Shape shape;
  for (int i = 1; i < value.rank(); ++i) shape.push_back(i == 1 ? bias.size() : 1);
  return add(value, reshape(bias, shape));
}

void bind_activations(nb::module_& nn) {
  for (const NamedElementwise& function : kActivations) def_unary(nn, function);
  for (const char* name : {"silu", "swish"})
    nn.def(
        name,
        [](Like features, double beta, nb::handle) {
          const Tensor x = features.tensor();
          return computed(work_of(x), [&] { return silu_of(x, beta); });
        },
        "features"_a, "beta"_a = 1.0, name_argument(),
        described("x * sigmoid(beta * x), elementwise.\n\n>>> tf.nn.silu([0.0]).numpy()\n"
                  "array([0.], dtype=float32)",
                  silu)
            .c_str());
  nn.def(
      "elu",
      [](Like features, nb::handle) {
        const Tensor x = features.tensor();
        return computed(work_of(x), [&] { return elu(x); });
      },
      "features"_a, name_argument(),
      described("x above 0, exp(x) - 1 below, elementwise.", elu_op).c_str());
  nn.def(
      "gelu",
      [](Like features, bool approximate, nb::handle) {
        const Tensor x = features.tensor();
        return computed(work_of(x), [&] { return gelu(x, {.approximate = approximate}); });
      },
      "features"_a, "approximate"_a = false, name_argument(),
      described("x times the probability that a standard normal number is below x.", gelu_op)
          .c_str());
  nn.def(
      "leaky_relu",
      [](Like features, double alpha, nb::handle) {
        const Tensor x = features.tensor();
        return computed(work_of(x), [&] { return leaky_relu(x, alpha); });
      },
      "features"_a, "alpha"_a = 0.2, name_argument(),
      described("x above 0, else alpha * x, elementwise.", leaky_relu_op).c_str());
}

}  // namespace

void bind_ops_nn(nb::module_& m) {
  nb::module_ nn = m.def_submodule("nn", "tf.nn");
  bind_activations(nn);
  bind_ops_nn_windows(nn);
  bind_ops_nn_layers(nn);
  nn.def(
      "bias_add",
      [](Like value, Like bias, nb::handle data_format, nb::handle) {
        const Pair pair(value, bias);
        const bool first = !data_format.is_none() && to_text(data_format, "data_format")[1] == 'C';
        return computed(pair.work(), [&] { return along_channels(pair.a, pair.b, first); });
      },
      "value"_a, "bias"_a, "data_format"_a = nb::none(), name_argument(),
      "Adds a bias to each channel, the last axis (or the second, by data_format). Numbers.");
  nn.def(
      "softmax_cross_entropy_with_logits",
      [](Like labels, Like logits, nb::handle axis, nb::handle) {
        const Tensor scores = logits.tensor();
        const Tensor targets = labels.tensor(scores.dtype());
        const int at = normalize_axis("softmax_cross_entropy_with_logits", to_int(axis, "axis", -1),
                                      scores.rank());
        return computed(work_of(scores), [&] {
          if (at == scores.rank() - 1) return softmax_cross_entropy_with_logits(targets, scores);
          std::vector<int64_t> order;
          for (int i = 0; i < scores.rank(); ++i)
            if (i != at) order.push_back(i);
          order.push_back(at);
          return softmax_cross_entropy_with_logits(transpose(targets, Axes(order)),
                                                   transpose(scores, Axes(order)));
        });
      },
      "labels"_a, "logits"_a, "axis"_a = -1, name_argument(),
      described("-sum(labels * log_softmax(logits)) along an axis.\n\n"
                ">>> tf.nn.softmax_cross_entropy_with_logits([[0.5, 0.5]], [[0.0, 0.0]]).numpy()\n"
                "array([0.6931472], dtype=float32)",
                "softmax_cross_entropy")
          .c_str());
  nn.def(
      "sparse_softmax_cross_entropy_with_logits",
      [](Like labels, Like logits, nb::handle) {
        const Tensor targets = labels.tensor(), scores = logits.tensor();
        return computed(work_of(scores),
                        [&] { return sparse_softmax_cross_entropy_with_logits(targets, scores); });
      },
      "labels"_a, "logits"_a, name_argument(),
      described("-log_softmax(logits) at each label.", "sparse_softmax_cross_entropy").c_str());
  nn.def(
      "moments",
      [](Like x, nb::handle axes, nb::handle, bool keepdims, nb::handle) {
        const Tensor tensor = x.tensor();
        const ReduceOptions options{.axis = to_axes(axes), .keepdims = keepdims};
        const Moments result =
            without_lock(work_of(tensor), [&] { return moments(tensor, options); });
        return nb::make_tuple(wrap(result.mean), wrap(result.variance));
      },
      "x"_a, "axes"_a, "shift"_a = nb::none(), "keepdims"_a = false, name_argument(),
      "Mean and variance along some axes. Floating types.\n\n"
      ">>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])\n"
      ">>> float(mean), float(variance)\n(2.0, 1.0)");
}

}  // namespace alula::python
