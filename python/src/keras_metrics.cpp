#include "alula/keras/words.h"
#include "python/src/keras_configured.h"
#include "python/src/keras_layer.h"
#include "python/src/ops.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

using namespace alula::keras;
using namespace alula::keras::metrics;
using keras::Direction;
using keras::Metric;

/// A metric whose class is written in Python.
class PyMetric final : public MetricImpl {
 public:
  PyMetric(nb::handle self, std::string name) : MetricImpl(std::move(name)), self_(self) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override {
    const nb::gil_scoped_acquire lock;
    nb::list args;
    args.append(wrap(y_true));
    if (y_pred.defined()) args.append(wrap(y_pred));
    nb::dict kwargs;
    if (sample_weight.defined()) kwargs["sample_weight"] = wrap(sample_weight);
    as_traced(self_.attr("update_state"))(*nb::tuple(args), **kwargs);
  }
  Tensor result() const override {
    const nb::gil_scoped_acquire lock;
    return to_tensor(as_traced(self_.attr("result"))());
  }
  void reset_state() override {
    const nb::gil_scoped_acquire lock;
    self_.attr("reset_state")();
  }

 private:
  nb::handle self_;  // borrowed: the metric lies inside of it
};

Tensor weights_of(nb::handle weight) { return weight.is_none() ? Tensor() : to_tensor(weight); }

void update(MetricImpl& self, Like y_true, Like y_pred, nb::handle sample_weight) {
  if (dynamic_cast<PyMetric*>(&self) != nullptr)
    throw UnimplementedError("Metric: override update_state(y_true, y_pred, sample_weight=None).");
  const Tensor prediction = y_pred.tensor(float32), truth = y_true.tensor();
  const Tensor weights = weights_of(sample_weight);
  without_lock(work_of(prediction), [&] {
    self.update_state(truth, prediction, weights);
    return 0;
  });
}

void update_values(MetricImpl& self, Like values, nb::handle sample_weight) {
  self.update_state(values.tensor(float32), {}, weights_of(sample_weight));
}

void reset(nb::handle self) {
  auto& metric = *nb::inst_ptr<MetricImpl>(self);
  if (dynamic_cast<PyMetric*>(&metric) == nullptr) {
    metric.reset_state();
    return;
  }
  for (const nb::handle variable : nb::object(self.attr("variables"))) {
    Variable known = *held_variable(variable);
    known.assign(zeros_like(known.value()));
  }
}

nb::object variables(nb::handle self) {
  const auto& metric = *nb::inst_ptr<MetricImpl>(self);
  if (dynamic_cast<const PyMetric*>(&metric) != nullptr)
    return nb::getattr(self, "_variables", nb::list());
  nb::list list;
  for (const Variable& variable : metric.variables()) list.append(object_of(variable));
  return list;
}

nb::object add_variable(nb::handle self, nb::handle shape, nb::handle initializer, nb::handle dtype,
                        nb::handle, nb::handle name) {
  if (PyUnicode_Check(shape.ptr())) {  // Keras 2 had the name first
    std::swap(shape, name);
    if (PyUnicode_Check(shape.ptr())) shape = nb::none();
  }
  const WithoutTracing once;
  const Initializer make =
      initializer.is_none() ? Initializer("zeros") : to_initializer(initializer);
  const Tensor value = make(shape.is_none() ? Shape() : to_shape(shape),
                            dtype.is_none() ? float32 : to_dtype(dtype));
  const nb::object variable = object_of(Variable(
      value,
      {.trainable = false, .name = name.is_none() ? "variable" : nb::cast<std::string>(name)}));
  if (!nb::hasattr(self, "_variables")) self.attr("_variables") = nb::list();
  nb::cast<nb::list>(self.attr("_variables")).append(variable);
  return variable;
}

template <class Impl>
auto def_metric(nb::module_& m, const char* name, const char* doc, std::vector<Field> fields) {
  if (std::none_of(fields.begin(), fields.end(), [](const Field& f) { return f.name == "dtype"; }))
    fields.push_back(missing("dtype"));
  return def_configured<Impl, MetricImpl>(m, name, doc, std::move(fields));
}

template <Tensor (*kFunction)(const Tensor&, const Tensor&), const char* kName,
          Direction kDirection>
void def_function_metric(nb::module_& m, const char* name, const char* doc) {
  using Impl = FunctionMetric<kFunction, kName, kDirection>;
  def_metric<Impl>(m, name, doc, {field("name", &Impl::Options::name)});
}

void bind_regression(nb::module_& m) {
  namespace loss = keras::losses;
  constexpr Direction kDown = Direction::kDown;
  def_function_metric<loss::mean_squared_error, loss::kMeanSquaredError, kDown>(
      m, "MeanSquaredError", "The mean of (y_true - y_pred)^2.");
  def_function_metric<loss::mean_absolute_error, loss::kMeanAbsoluteError, kDown>(
      m, "MeanAbsoluteError", "The mean of |y_true - y_pred|.");
  def_function_metric<loss::mean_absolute_percentage_error, loss::kMeanAbsolutePercentageError,
                      kDown>(m, "MeanAbsolutePercentageError", "By how many percent it is off.");
  def_function_metric<loss::mean_squared_logarithmic_error, loss::kMeanSquaredLogarithmicError,
                      kDown>(m, "MeanSquaredLogarithmicError",
                             "The mean of (log(y_true + 1) - log(y_pred + 1))^2.");
  def_function_metric<loss::log_cosh, kLogCoshError, kDown>(m, "LogCoshError",
                                                            "The mean of log(cosh(error)).");
  def_function_metric<loss::hinge, loss::kHinge, kDown>(m, "Hinge", "The mean hinge loss.");
  def_function_metric<loss::squared_hinge, loss::kSquaredHinge, kDown>(
      m, "SquaredHinge", "The mean squared hinge loss.");
  def_function_metric<loss::categorical_hinge, loss::kCategoricalHinge, kDown>(
      m, "CategoricalHinge", "The mean categorical hinge loss.");
  def_function_metric<loss::kl_divergence, loss::kKLDivergence, kDown>(
      m, "KLDivergence", "The mean of sum(y_true * log(y_true / y_pred)).");
  def_function_metric<loss::poisson, loss::kPoisson, kDown>(m, "Poisson", "The mean Poisson loss.");
  using Root = RootMeanSquaredErrorImpl;
  def_metric<Root>(m, "RootMeanSquaredError", "sqrt(mean((y_true - y_pred)^2))",
                   {field("name", &Root::Options::name)});
  using Cosine = metrics::CosineSimilarityImpl;
  def_metric<Cosine>(m, "CosineSimilarity", "The cosine of the angle between y_true and y_pred.",
                     {field("name", &Cosine::Options::name), missing("dtype"),
                      field("axis", &Cosine::Options::axis)});
}

void bind_accuracy(nb::module_& m) {
  constexpr Direction kUp = Direction::kUp;
  def_function_metric<accuracy, kAccuracy, kUp>(m, "Accuracy",
                                                "How often labels and predictions are equal.");
  def_function_metric<categorical_accuracy, kCategoricalAccuracy, kUp>(
      m, "CategoricalAccuracy", "How often the largest prediction is the label's, one-hot.");
  def_function_metric<sparse_categorical_accuracy, kSparseCategoricalAccuracy, kUp>(
      m, "SparseCategoricalAccuracy",
      "How often the largest prediction is the label's.\n\n"
      ">>> metric = tf.keras.metrics.SparseCategoricalAccuracy()\n"
      ">>> metric.update_state([1, 0], [[0.2, 0.8], [0.3, 0.7]])\n"
      ">>> metric.result().numpy()\nnp.float32(0.5)");
  using Binary = BinaryAccuracyImpl;
  def_metric<Binary>(m, "BinaryAccuracy", "How often predictions are on the right side.",
                     {field("name", &Binary::Options::name), missing("dtype"),
                      field("threshold", &Binary::Options::threshold)});
  using TopK = TopKCategoricalAccuracyImpl;
  def_metric<TopK>(m, "TopKCategoricalAccuracy", "How often the label is among the k largest.",
                   {field("k", &TopK::Options::k), field("name", &TopK::Options::name)});
  using SparseTopK = SparseTopKCategoricalAccuracyImpl;
  def_metric<SparseTopK>(
      m, "SparseTopKCategoricalAccuracy", "How often the label is among the k largest.",
      {field("k", &SparseTopK::Options::k), field("name", &SparseTopK::Options::name)});
}

void bind_crossentropy(nb::module_& m) {
  using Binary = metrics::BinaryCrossentropyImpl;
  def_metric<Binary>(m, "BinaryCrossentropy", "The mean binary cross-entropy.",
                     {field("name", &Binary::Options::name), missing("dtype"),
                      field("from_logits", &Binary::Options::from_logits),
                      field("label_smoothing", &Binary::Options::label_smoothing)});
  using Categorical = metrics::CategoricalCrossentropyImpl;
  def_metric<Categorical>(m, "CategoricalCrossentropy", "The mean categorical cross-entropy.",
                          {field("name", &Categorical::Options::name), missing("dtype"),
                           field("from_logits", &Categorical::Options::from_logits),
                           field("label_smoothing", &Categorical::Options::label_smoothing),
                           field("axis", &Categorical::Options::axis)});
  using Sparse = metrics::SparseCategoricalCrossentropyImpl;
  def_metric<Sparse>(m, "SparseCategoricalCrossentropy",
                     "The mean cross-entropy, of labels that are numbers.",
                     {field("name", &Sparse::Options::name), missing("dtype"),
                      field("from_logits", &Sparse::Options::from_logits),
                      field("ignore_class", &Sparse::Options::ignore_class),
                      field("axis", &Sparse::Options::axis)});
}

void bind_confusion(nb::module_& m) {
  const auto precision = [] {
    using O = PrecisionImpl::Options;
    return std::vector<Field>{field("thresholds", &O::thresholds), field("top_k", &O::top_k),
                              field("class_id", &O::class_id), field("name", &O::name)};
  };
  def_metric<PrecisionImpl>(m, "Precision", "The right ones of those said to be a yes.",
                            precision());
  def_metric<RecallImpl>(m, "Recall", "The found ones of those that are a yes.", precision());
  const auto count = [] {
    return std::vector<Field>{field("thresholds", &ConfusionOptions::thresholds),
                              field("name", &ConfusionOptions::name)};
  };
  def_metric<CountImpl<1>>(m, "TruePositives", "How many yes are right.", count());
  def_metric<CountImpl<2>>(m, "FalsePositives", "How many yes are wrong.", count());
  def_metric<CountImpl<4>>(m, "TrueNegatives", "How many no are right.", count());
  def_metric<CountImpl<8>>(m, "FalseNegatives", "How many no are wrong.", count());
  using O = AUCImpl::Options;
  def_metric<AUCImpl>(
      m, "AUC", "The area under the ROC or the precision-recall curve.",
      {field("num_thresholds", &O::num_thresholds), field("curve", &O::curve),
       field("summation_method", &O::summation_method), field("name", &O::name), missing("dtype"),
       missing("thresholds"), missing("multi_label"), missing("num_labels"),
       missing("label_weights"), field("from_logits", &O::from_logits)});
}

void bind_functions(nb::module_& m) {
  const auto def = [&](const char* name, auto function, const char* doc) {
    m.def(
        name,
        [function](Like y_true, Like y_pred) {
          return wrap(function(y_true.tensor(), y_pred.tensor(float32)));
        },
        "y_true"_a, "y_pred"_a, doc);
  };
  def(
      "categorical_accuracy",
      [](const Tensor& t, const Tensor& p) { return categorical_accuracy(t, p); },
      "1 where the largest prediction is the label's, one-hot.");
  def(
      "sparse_categorical_accuracy",
      [](const Tensor& t, const Tensor& p) { return sparse_categorical_accuracy(t, p); },
      "1 where the largest prediction is the label's.");
  m.def(
      "binary_accuracy",
      [](Like y_true, Like y_pred, double threshold) {
        return wrap(metrics::binary_accuracy(y_true.tensor(), y_pred.tensor(float32),
                                             {.threshold = threshold}));
      },
      "y_true"_a, "y_pred"_a, "threshold"_a = 0.5, "1 where predictions are on the right side.");
  m.def(
      "top_k_categorical_accuracy",
      [](Like y_true, Like y_pred, int64_t k) {
        return wrap(top_k_categorical_accuracy(y_true.tensor(), y_pred.tensor(float32), {.k = k}));
      },
      "y_true"_a, "y_pred"_a, "k"_a = 5, "1 where the label is among the k largest.");
  m.def(
      "sparse_top_k_categorical_accuracy",
      [](Like y_true, Like y_pred, int64_t k) {
        return wrap(
            sparse_top_k_categorical_accuracy(y_true.tensor(), y_pred.tensor(float32), {.k = k}));
      },
      "y_true"_a, "y_pred"_a, "k"_a = 5, "1 where the label is among the k largest.");
}

}  // namespace

void bind_keras_metrics(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("metrics", "What is measured over many batches.");
  nb::class_<MetricImpl, PyMetric>(
      m, "Metric", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "Something measured over many batches. Classes of one's own override `update_state` and "
      "`result`.")
      .def(
          "__init__",
          [](nb::pointer_and_handle<MetricImpl> self, nb::handle,
             const std::optional<std::string>& name) {
            new (static_cast<void*>(self.p))
                PyMetric(self.h, name.value_or(unique_name(snake_case(class_name_of(self.h)))));
          },
          "dtype"_a = nb::none(), "name"_a = nb::none())
      .def("__call__",
           [](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
             self.attr("update_state")(*args, **kwargs);
             return self.attr("result")();
           })
      .def("update_state", &update, "y_true"_a, "y_pred"_a, "sample_weight"_a = nb::none(),
           "Takes in a batch.")
      .def(
          "result", [](const MetricImpl& self) { return wrap(self.result()); },
          "The metric of all that was taken in.")
      .def("reset_state", &reset, "Starts again.")
      .def("reset_states", &reset, "Starts again.")
      .def("add_variable", &add_variable, "shape"_a = nb::none(), "initializer"_a = nb::none(),
           "dtype"_a = nb::none(), "aggregation"_a = nb::none(), "name"_a = nb::none(),
           "Makes a variable that is part of the metric's state.")
      .def("add_weight", &add_variable, "shape"_a = nb::none(), "initializer"_a = nb::none(),
           "dtype"_a = nb::none(), "aggregation"_a = nb::none(), "name"_a = nb::none(),
           "Makes a variable that is part of the metric's state.")
      .def_prop_ro("name", &MetricImpl::name)
      .def_prop_ro("dtype", [](const MetricImpl&) { return "float32"; })
      .def_prop_ro("variables", &variables)
      .def("__repr__",
           [](nb::handle self) {
             return fmt::format("<{} name={}>", class_name_of(self),
                                nb::cast<std::string>(self.attr("name")));
           })
      .def("get_config", [](nb::handle self) {
        nb::dict config;
        config["name"] = self.attr("name");
        config.attr("update")(nb::getattr(self, "_config", nb::dict()));
        return config;
      });
  def_metric<MeanImpl>(m, "Mean",
                       "The mean of values.\n\n>>> mean = tf.keras.metrics.Mean()\n"
                       ">>> mean.update_state([1.0, 2.0, 6.0])\n>>> mean.result().numpy()\n"
                       "np.float32(3.0)",
                       {field("name", &MeanImpl::Options::name)})
      .def("update_state", &update_values, "values"_a, "sample_weight"_a = nb::none(),
           "Takes in values.");
  def_metric<SumImpl>(m, "Sum", "The sum of values.", {field("name", &SumImpl::Options::name)})
      .def("update_state", &update_values, "values"_a, "sample_weight"_a = nb::none(),
           "Takes in values.");
  nb::class_<MeanMetricWrapperImpl, MetricImpl>(m, "MeanMetricWrapper",
                                                "The mean of what a function gives.")
      .def(
          "__init__",
          [](MeanMetricWrapperImpl* self, nb::handle fn, const std::optional<std::string>& name,
             nb::handle, const nb::kwargs& kwargs) {
            auto function = [fn = Held(fn), kwargs = Held(kwargs)](const Tensor& y_true,
                                                                   const Tensor& y_pred) {
              const nb::gil_scoped_acquire lock;
              return to_tensor(as_traced(fn.get())(wrap(y_true), wrap(y_pred),
                                                   **nb::borrow<nb::kwargs>(kwargs.get())));
            };
            new (self) MeanMetricWrapperImpl(std::move(function),
                                             {.name = name.value_or("mean_metric_wrapper")});
          },
          "fn"_a, "name"_a = nb::none(), "dtype"_a = nb::none(), "kwargs"_a);
  bind_regression(m);
  bind_accuracy(m);
  bind_crossentropy(m);
  bind_confusion(m);
  bind_functions(m);
  // Those that only words name, and that the trainer makes.
  nb::class_<ChosenAccuracyImpl, MetricImpl>(m, "_ChosenAccuracy");
  m.def(
      "_of", [](const std::string& word) { return Metric(word).impl().name(); },
      "An error unless there is a metric of that name.");
}

}  // namespace alula::python
