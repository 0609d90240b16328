#include "python/src/ops.h"

// tf.math along axes.
namespace alula::python {
namespace {

template <Tensor (*kFunction)(const Tensor&, const ArgReduceOptions&)>
void def_arg_reduction(nb::module_& m, const char* name, const std::string& doc) {
  m.def(
      name,
      [](Like input, nb::handle axis, DTypeLike output_type, nb::handle) {
        const Tensor x = input.tensor();
        const ArgReduceOptions options{.axis = to_int(axis, "axis"),
                                       .output_type = output_type.value_or(int64)};
        return computed(work_of(x), [&] { return kFunction(x, options); });
      },
      "input"_a, "axis"_a = nb::none(), "output_type"_a = wrap(int64), name_argument(),
      doc.c_str());
}

template <Tensor (*kFunction)(const Tensor&, const CumulativeOptions&)>
void def_cumulative(nb::module_& m, const char* name, const std::string& doc) {
  m.def(
      name,
      [](Like x, nb::handle axis, bool exclusive, bool reverse, nb::handle) {
        const Tensor tensor = x.tensor();
        const CumulativeOptions options{
            .axis = to_int(axis, "axis"), .exclusive = exclusive, .reverse = reverse};
        return computed(work_of(tensor), [&] { return kFunction(tensor, options); });
      },
      "x"_a, "axis"_a = 0, "exclusive"_a = false, "reverse"_a = false, name_argument(),
      doc.c_str());
}

template <Tensor (*kFunction)(const Tensor&, const SoftmaxOptions&)>
void def_softmax(nb::module_& m, const char* name, const std::string& doc) {
  m.def(
      name,
      [](Like logits, nb::handle axis, nb::handle) {
        const Tensor x = logits.tensor();
        const SoftmaxOptions options{.axis = to_int(axis, "axis", -1)};
        return computed(work_of(x), [&] { return kFunction(x, options); });
      },
      "logits"_a, "axis"_a = nb::none(), name_argument(), doc.c_str());
}

}  // namespace

void bind_ops_math_reductions(nb::module_& math) {
  def_reduction(math, "reduce_sum", reduce_sum,
                described("The sum along some axes; all of them if none are given.\n\n"
                          ">>> tf.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()\n"
                          "array([4, 6], dtype=int32)",
                          "reduce_sum"));
  def_reduction(math, "reduce_mean", reduce_mean,
                described("The mean along some axes.\n\n>>> float(tf.reduce_mean([1.0, 2.0]))\n"
                          "1.5",
                          "reduce_mean"));
  def_reduction(math, "reduce_prod", reduce_prod,
                described("The product along some axes.", "reduce_prod"));
  def_reduction(
      math, "reduce_max", reduce_max,
      described("The largest element along some axes; NaN if there is one.", "reduce_max"));
  def_reduction(
      math, "reduce_min", reduce_min,
      described("The smallest element along some axes; NaN if there is one.", "reduce_min"));
  def_reduction(math, "reduce_any", reduce_any,
                described("Whether some element along the axes is true.", "reduce_any"));
  def_reduction(math, "reduce_all", reduce_all,
                described("Whether every element along the axes is true.", "reduce_all"));
  def_reduction(math, "reduce_variance", reduce_variance,
                "The mean of the squared distances from the mean. Floating types.");
  def_reduction(math, "reduce_std", reduce_std,
                "The square root of the variance along some axes. Floating types.");
  def_reduction(math, "reduce_logsumexp", reduce_logsumexp,
                "log(sum(exp(x))) along some axes, without overflow. Floating types.");
  def_reduction(math, "reduce_euclidean_norm", reduce_euclidean_norm,
                "The root of the sum of squares along some axes. Numbers.");
  def_arg_reduction<argmax>(
      math, "argmax",
      described("Where the largest element along an axis is; of equal ones, the first.\n\n"
                ">>> tf.argmax([[1, 9, 3], [4, 4, 2]], axis=1).numpy()\narray([1, 0])",
                "argmax"));
  def_arg_reduction<argmin>(
      math, "argmin",
      described("Where the smallest element along an axis is; of equal ones, the first.",
                "argmin"));
  def_cumulative<cumsum>(
      math, "cumsum",
      described("The sum of each element and all before it along an axis.\n\n"
                ">>> tf.cumsum([1, 2, 3]).numpy()\narray([1, 3, 6], dtype=int32)",
                "cumsum"));
  def_cumulative<cumprod>(
      math, "cumprod",
      described("The product of each element and all before it along an axis.\n\n"
                ">>> tf.math.cumprod([2, 3, 4], reverse=True).numpy()\n"
                "array([24, 12,  4], dtype=int32)",
                "cumprod"));
  def_softmax<softmax>(math, "softmax",
                       described("exp(x) / sum(exp(x)) along an axis, the last by default.\n\n"
                                 ">>> tf.nn.softmax([0.0, 0.0]).numpy()\n"
                                 "array([0.5, 0.5], dtype=float32)",
                                 "softmax"));
  def_softmax<log_softmax>(
      math, "log_softmax",
      described("The logarithm of softmax, accurate also where that is almost 0.", "log_softmax"));
  math.def(
      "_top_k",
      [](Like input, nb::handle k) {
        const Tensor x = input.tensor();
        const int64_t count = to_int(k, "k");
        const TopKResult result = without_lock(work_of(x), [&] { return top_k(x, count); });
        return nb::make_tuple(wrap(result.values), wrap(result.indices));
      },
      "input"_a, "k"_a);
  math.def(
      "in_top_k",
      [](Like targets, Like predictions, nb::handle k, nb::handle) {
        const Tensor labels = targets.tensor(), scores = predictions.tensor();
        const int64_t count = to_int(k, "k");
        return computed(work_of(scores), [&] { return in_top_k(labels, scores, count); });
      },
      "targets"_a, "predictions"_a, "k"_a, name_argument(),
      described("Whether each target is among the k classes with the largest predictions.\n\n"
                ">>> tf.math.in_top_k([1, 2], [[0.0, 5.0, 1.0], [3.0, 2.0, 1.0]], 2).numpy()\n"
                "array([ True, False])",
                "in_top_k")
          .c_str());
}

}  // namespace alula::python
