#include "alula/keras/words.h"
#include "python/src/keras_configured.h"
#include "python/src/keras_layer.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

using namespace alula::keras;

/// A loss whose class is written in Python.
class PyLoss final : public LossImpl {
 public:
  PyLoss(nb::handle self, const LossOptions& options) : LossImpl(options), self_(self) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const nb::gil_scoped_acquire lock;
    const Tensor labels = like_predictions(y_true, y_pred);
    return to_tensor(as_traced(self_.attr("call"))(wrap(labels), wrap(y_pred)));
  }

 private:
  nb::handle self_;  // borrowed: the loss lies inside of it
};

nb::object call_loss(std::shared_ptr<LossImpl> self, Like y_true, Like y_pred, nb::handle weight) {
  const Tensor prediction = y_pred.tensor(float32);
  const Tensor truth = y_true.tensor();
  const Tensor weights = weight.is_none() ? Tensor() : to_tensor(weight);
  return computed(work_of(prediction),
                  [&] { return Loss(std::move(self))(truth, prediction, weights); });
}

template <class Impl>
void def_loss(nb::module_& m, const char* name, const char* doc, std::vector<Field> fields) {
  fields.push_back(keyword(missing("dtype")));
  def_configured<Impl, LossImpl>(m, name, doc, std::move(fields));
}

template <class Impl>
void def_plain_loss(nb::module_& m, const char* name, const char* doc) {
  using Options = typename Impl::Options;
  def_loss<Impl>(m, name, doc,
                 {field("reduction", &Options::reduction), field("name", &Options::name)});
}

template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
void def_function(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like y_true, Like y_pred) {
        const Tensor prediction = y_pred.tensor(float32), truth = y_true.tensor();
        return computed(work_of(prediction), [&] { return kFunction(truth, prediction); });
      },
      "y_true"_a, "y_pred"_a, doc);
}

void bind_functions(nb::module_& parent) {
  namespace loss = keras::losses;
  nb::module_ m = parent.def_submodule("losses", "Losses as functions, one number a sample.");
  def_function<loss::mean_squared_error>(m, "mean_squared_error", "mean((y_true - y_pred)^2)");
  def_function<loss::mean_absolute_error>(m, "mean_absolute_error", "mean(|y_true - y_pred|)");
  def_function<loss::mean_absolute_percentage_error>(m, "mean_absolute_percentage_error",
                                                     "100 * mean(|(y_true - y_pred) / y_true|)");
  def_function<loss::mean_squared_logarithmic_error>(m, "mean_squared_logarithmic_error",
                                                     "mean((log(y_true + 1) - log(y_pred + 1))^2)");
  def_function<loss::log_cosh>(m, "log_cosh", "mean(log(cosh(y_pred - y_true)))");
  def_function<loss::hinge>(m, "hinge", "mean(max(1 - y_true * y_pred, 0))");
  def_function<loss::squared_hinge>(m, "squared_hinge", "mean(max(1 - y_true * y_pred, 0)^2)");
  def_function<loss::categorical_hinge>(m, "categorical_hinge",
                                        "max(largest wrong score - right score + 1, 0)");
  def_function<loss::kl_divergence>(m, "kl_divergence", "sum(y_true * log(y_true / y_pred))");
  def_function<loss::poisson>(m, "poisson", "mean(y_pred - y_true * log(y_pred))");
  m.def(
      "huber",
      [](Like y_true, Like y_pred, double delta) {
        return wrap(loss::huber(y_true.tensor(), y_pred.tensor(float32), {.delta = delta}));
      },
      "y_true"_a, "y_pred"_a, "delta"_a = 1.0, "The squared error up to delta, and linear beyond.");
  m.def(
      "cosine_similarity",
      [](Like y_true, Like y_pred, int64_t axis) {
        return wrap(
            loss::cosine_similarity(y_true.tensor(), y_pred.tensor(float32), {.axis = axis}));
      },
      "y_true"_a, "y_pred"_a, "axis"_a = -1, "Minus the cosine of the angle between both.");
  m.def(
      "binary_crossentropy",
      [](Like y_true, Like y_pred, bool from_logits, double label_smoothing, int64_t axis) {
        return wrap(loss::binary_crossentropy(
            y_true.tensor(), y_pred.tensor(float32),
            {.from_logits = from_logits, .label_smoothing = label_smoothing, .axis = axis}));
      },
      "y_true"_a, "y_pred"_a, "from_logits"_a = false, "label_smoothing"_a = 0.0, "axis"_a = -1,
      "-(y log(p) + (1 - y) log(1 - p)), its mean over an axis.");
  m.def(
      "categorical_crossentropy",
      [](Like y_true, Like y_pred, bool from_logits, double label_smoothing, int64_t axis) {
        return wrap(loss::categorical_crossentropy(
            y_true.tensor(), y_pred.tensor(float32),
            {.from_logits = from_logits, .label_smoothing = label_smoothing, .axis = axis}));
      },
      "y_true"_a, "y_pred"_a, "from_logits"_a = false, "label_smoothing"_a = 0.0, "axis"_a = -1,
      "-sum(y_true * log(y_pred)) over the classes, of one-hot labels.");
  m.def(
      "sparse_categorical_crossentropy",
      [](Like y_true, Like y_pred, bool from_logits, std::optional<int64_t> ignore_class,
         int64_t axis) {
        loss::SparseCategoricalCrossentropyFunctionOptions options{.from_logits = from_logits,
                                                                   .axis = axis};
        if (ignore_class) options.ignore_class = *ignore_class;
        return wrap(loss::sparse_categorical_crossentropy(y_true.tensor(), y_pred.tensor(float32),
                                                          options));
      },
      "y_true"_a, "y_pred"_a, "from_logits"_a = false, "ignore_class"_a = nb::none(), "axis"_a = -1,
      "-log of the probability of each sample's class.");
}

}  // namespace

void bind_keras_losses(nb::module_& parent) {
  namespace loss = keras::losses;
  bind_functions(parent);
  nb::module_ m = parent.attr("losses");
  nb::class_<LossImpl, PyLoss>(m, "Loss", nb::dynamic_attr(), nb::is_weak_referenceable(),
                               "How far predictions are from the truth. Classes of one's own "
                               "override `call(y_true, y_pred)`.")
      .def(
          "__init__",
          [](nb::pointer_and_handle<LossImpl> self, const std::optional<std::string>& name,
             const std::optional<std::string>& reduction, nb::handle) {
            new (static_cast<void*>(self.p))
                PyLoss(self.h, {.name = name.value_or(snake_case(class_name_of(self.h))),
                                .reduction = Reduction(reduction.value_or("none"))});
          },
          "name"_a = nb::none(), "reduction"_a = "sum_over_batch_size", "dtype"_a = nb::none())
      .def("__call__", &call_loss, "y_true"_a, "y_pred"_a, "sample_weight"_a = nb::none())
      .def(
          "call",
          [](const LossImpl& self, Like y_true, Like y_pred) {
            if (dynamic_cast<const PyLoss*>(&self) != nullptr)
              throw alula::UnimplementedError("Loss: override call(y_true, y_pred).");
            return wrap(self.call(y_true.tensor(), y_pred.tensor(float32)));
          },
          "y_true"_a, "y_pred"_a, "The loss of each sample.")
      .def_prop_ro("name", &LossImpl::name)
      .def_prop_ro("reduction",
                   [](const LossImpl& self) { return Convert<Reduction>::to(self.reduction()); })
      .def("get_config", [](nb::handle self) {
        nb::dict config;
        config["name"] = self.attr("name");
        config["reduction"] = self.attr("reduction");
        config.attr("update")(nb::getattr(self, "_config", nb::dict()));
        return config;
      });
  m.def(
      "_of", [](const std::string& word) { return std::make_pair(Loss(word).name(), word); },
      "An error unless there is a loss of that name.");

  using Binary = loss::BinaryCrossentropyImpl;
  def_loss<Binary>(
      m, "BinaryCrossentropy", "-(y log(p) + (1 - y) log(1 - p)).",
      {field("from_logits", &Binary::Options::from_logits),
       field("label_smoothing", &Binary::Options::label_smoothing),
       field("axis", &Binary::Options::axis), field("reduction", &Binary::Options::reduction),
       field("name", &Binary::Options::name)});
  using Categorical = loss::CategoricalCrossentropyImpl;
  def_loss<Categorical>(m, "CategoricalCrossentropy", "-sum(y_true * log(y_pred)).",
                        {field("from_logits", &Categorical::Options::from_logits),
                         field("label_smoothing", &Categorical::Options::label_smoothing),
                         field("axis", &Categorical::Options::axis),
                         field("reduction", &Categorical::Options::reduction),
                         field("name", &Categorical::Options::name)});
  using Sparse = loss::SparseCategoricalCrossentropyImpl;
  def_loss<Sparse>(m, "SparseCategoricalCrossentropy",
                   "-log of the probability of each sample's class.\n\n"
                   ">>> loss = tf.keras.losses.SparseCategoricalCrossentropy()\n"
                   ">>> round(float(loss([1], [[0.25, 0.75]])), 4)\n0.2877",
                   {field("from_logits", &Sparse::Options::from_logits),
                    field("ignore_class", &Sparse::Options::ignore_class),
                    field("reduction", &Sparse::Options::reduction),
                    field("axis", &Sparse::Options::axis), field("name", &Sparse::Options::name)});
  using Cosine = loss::CosineSimilarityImpl;
  def_loss<Cosine>(
      m, "CosineSimilarity", "Minus the cosine of the angle between both.",
      {field("axis", &Cosine::Options::axis), field("reduction", &Cosine::Options::reduction),
       field("name", &Cosine::Options::name)});
  using Huber = loss::HuberImpl;
  def_loss<Huber>(
      m, "Huber", "The squared error up to delta, and linear beyond.",
      {field("delta", &Huber::Options::delta), field("reduction", &Huber::Options::reduction),
       field("name", &Huber::Options::name)});
  def_plain_loss<PlainLoss<loss::mean_squared_error, loss::kMeanSquaredError>>(
      m, "MeanSquaredError",
      "mean((y_true - y_pred)^2)\n\n>>> tf.keras.losses.MeanSquaredError()([[1.0, 2.0]], [[1.0, "
      "4.0]]).numpy()\nnp.float32(2.0)");
  def_plain_loss<PlainLoss<loss::mean_absolute_error, loss::kMeanAbsoluteError>>(
      m, "MeanAbsoluteError", "mean(|y_true - y_pred|)");
  def_plain_loss<
      PlainLoss<loss::mean_absolute_percentage_error, loss::kMeanAbsolutePercentageError>>(
      m, "MeanAbsolutePercentageError", "100 * mean(|(y_true - y_pred) / y_true|)");
  def_plain_loss<
      PlainLoss<loss::mean_squared_logarithmic_error, loss::kMeanSquaredLogarithmicError>>(
      m, "MeanSquaredLogarithmicError", "mean((log(y_true + 1) - log(y_pred + 1))^2)");
  def_plain_loss<PlainLoss<loss::log_cosh, loss::kLogCosh>>(m, "LogCosh",
                                                            "mean(log(cosh(y_pred - y_true)))");
  def_plain_loss<PlainLoss<loss::hinge, loss::kHinge>>(m, "Hinge",
                                                       "mean(max(1 - y_true * y_pred, 0))");
  def_plain_loss<PlainLoss<loss::squared_hinge, loss::kSquaredHinge>>(
      m, "SquaredHinge", "mean(max(1 - y_true * y_pred, 0)^2)");
  def_plain_loss<PlainLoss<loss::categorical_hinge, loss::kCategoricalHinge>>(
      m, "CategoricalHinge", "max(largest wrong score - right score + 1, 0)");
  def_plain_loss<PlainLoss<loss::kl_divergence, loss::kKLDivergence>>(
      m, "KLDivergence", "sum(y_true * log(y_true / y_pred))");
  def_plain_loss<PlainLoss<loss::poisson, loss::kPoisson>>(m, "Poisson",
                                                           "mean(y_pred - y_true * log(y_pred))");
}

}  // namespace alula::python
