#include "python/src/keras_model.h"

namespace alula::python {

using namespace alula::keras;

namespace {

bool is_list(nb::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

/// A C++ object that lies inside of one of Python's, without holding that: the model does, where
/// Python's collector sees it.
template <class T>
std::shared_ptr<T> borrowed(nb::handle value) {
  T* object = nullptr;
  return nb::try_cast(value, object) && object != nullptr
             ? std::shared_ptr<T>(std::shared_ptr<void>(), object)
             : nullptr;
}

bool is_python(nb::handle function) {
  return nb::hasattr(function, "__code__") || nb::hasattr(function, "__func__");
}

/// A function of labels and predictions, which the model holds.
auto borrowed_function(nb::handle value) {
  return [value](const Tensor& y_true, const Tensor& y_pred) {
    const nb::gil_scoped_acquire lock;
    const Tensor labels = is_python(value) ? like_predictions(y_true, y_pred) : y_true;
    return to_tensor(as_traced(value)(wrap(labels), wrap(y_pred)));
  };
}

std::string name_of(nb::handle function, const char* otherwise) {
  return nb::cast<std::string>(nb::getattr(function, "__name__", nb::str(otherwise)));
}

void check_callable(nb::handle value, const char* what) {
  if (PyCallable_Check(value.ptr()) == 0)
    throw nb::value_error(fmt::format("compile: {} is a word, an object or a function. Got {}.",
                                      what, nb::repr(value).c_str())
                              .c_str());
}

Loss to_loss(nb::handle value) {
  if (value.is_none()) return {};
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (auto loss = borrowed<LossImpl>(value)) return Loss(std::move(loss));
  check_callable(value, "a loss");
  return {borrowed_function(value), LossOptions{.name = name_of(value, "loss")}};
}

Metric to_metric(nb::handle value) {
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (auto metric = borrowed<MetricImpl>(value)) return Metric(std::move(metric));
  if (auto loss = borrowed<LossImpl>(value)) return Metric(Loss(std::move(loss)));
  check_callable(value, "a metric");
  return metrics::MeanMetricWrapper(borrowed_function(value),
                                    {.name = name_of(value, "mean_metric_wrapper")});
}

/// The items of a dict by the names of the model's outputs; what has none is None.
nb::list by_output(const ModelImpl& model, nb::handle dict, const char* what) {
  nb::list items;
  size_t found = 0;
  for (const std::string& name : model.output_names()) {
    const bool has = nb::cast<nb::dict>(dict).contains(name.c_str());
    items.append(has ? nb::object(dict[name.c_str()]) : nb::none());
    found += has ? 1 : 0;
  }
  if (found < nb::len(dict))
    throw nb::value_error(
        fmt::format(
            "compile: {} names an output that the model '{}' does not have. Its outputs are "
            "{}. Got {}.",
            what, model.name(), fmt::join(model.output_names(), ", "),
            nb::repr(dict.attr("keys")()).c_str())
            .c_str());
  return items;
}

nb::object listed(const ModelImpl& model, nb::handle value, const char* what) {
  return PyDict_Check(value.ptr()) ? nb::object(by_output(model, value, what)) : nb::borrow(value);
}

std::vector<Metric> to_metrics(nb::handle value) {
  std::vector<Metric> metrics;
  if (value.is_none()) return metrics;
  if (!is_list(value)) return {to_metric(value)};
  for (const nb::handle item : value)
    if (!item.is_none()) metrics.push_back(to_metric(item));
  return metrics;
}

MetricLists to_metric_lists(const ModelImpl& model, nb::handle given, const char* what) {
  if (given.is_none()) return {};
  const nb::object value = listed(model, given, what);
  std::vector<std::vector<Metric>> lists;
  if (!is_list(value)) return std::vector<std::vector<Metric>>{{to_metric(value)}};
  for (const nb::handle item : value) lists.push_back(to_metrics(item));
  return lists;
}

Optimizer to_optimizer(nb::handle value, nb::list& kept) {
  nb::object given = nb::borrow(value);
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (PyDict_Check(value.ptr()) || PyType_Check(value.ptr()))
    given = nb::module_::import_("alula.keras.optimizers").attr("get")(value);
  kept.append(given);
  if (std::shared_ptr<OptimizerImpl> optimizer; nb::try_cast(given, optimizer) && optimizer)
    return optimizer;
  throw nb::value_error(fmt::format("compile: an optimizer is a word or an object of "
                                    "tf.keras.optimizers. Got {}.",
                                    nb::repr(value).c_str())
                            .c_str());
}

}  // namespace

CompileOptions to_compile_options(const ModelImpl& model, const nb::kwargs& arguments,
                                  nb::list& kept) {
  const auto argument = [&](const char* name) -> nb::object {
    return arguments.contains(name) ? nb::object(arguments[name]) : nb::none();
  };
  CompileOptions options;
  options.optimizer = to_optimizer(argument("optimizer"), kept);
  const nb::object loss = listed(model, argument("loss"), "loss");
  kept.append(loss);
  if (is_list(loss)) {
    std::vector<Loss> losses;
    for (const nb::handle item : loss) losses.push_back(to_loss(item));
    options.loss = Losses(std::move(losses));
  } else if (!loss.is_none()) {
    options.loss = Losses(to_loss(loss));
  }
  const nb::object weights = listed(model, argument("loss_weights"), "loss_weights");
  if (is_list(weights)) {
    for (const nb::handle item : weights)
      options.loss_weights.push_back(item.is_none() ? 1.0 : nb::cast<double>(item));
  } else if (!weights.is_none()) {
    options.loss_weights = {nb::cast<double>(weights)};
  }
  kept.append(argument("metrics"));
  kept.append(argument("weighted_metrics"));
  options.metrics = to_metric_lists(model, argument("metrics"), "metrics");
  options.weighted_metrics =
      to_metric_lists(model, argument("weighted_metrics"), "weighted_metrics");
  options.run_eagerly = Convert<bool>::from(argument("run_eagerly"));
  options.steps_per_execution = nb::cast<int64_t>(argument("steps_per_execution"));
  options.auto_scale_loss = Convert<bool>::from(argument("auto_scale_loss"));
  const nb::object jit = argument("jit_compile");
  if (PyUnicode_Check(jit.ptr()))
    options.jit_compile = nb::cast<std::string>(jit).c_str();
  else if (!jit.is_none())
    options.jit_compile = Convert<bool>::from(jit);
  return options;
}

}  // namespace alula::python
