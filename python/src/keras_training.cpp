#include "alula/keras/trainer.h"
#include "python/src/keras_callbacks.h"
#include "python/src/keras_model.h"
#include "python/src/ops.h"

namespace alula::python {

using namespace alula::keras;

namespace {

using Shared = std::shared_ptr<ModelImpl>;

Shared shared_of(nb::handle self) { return nb::cast<Shared>(self); }

Setting<int64_t> to_count(nb::handle value) { return Convert<Setting<int64_t>>::from(value); }

Verbosity to_verbosity(nb::handle value) {
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value).c_str();
  return nb::cast<int>(value);
}

std::map<int64_t, double> to_class_weights(nb::handle value) {
  std::map<int64_t, double> weights;
  if (value.is_none()) return weights;
  for (const auto [key, weight] : nb::cast<nb::dict>(value))
    weights[nb::cast<int64_t>(key)] = nb::cast<double>(weight);
  return weights;
}

// compile

void compile(nb::handle self, nb::handle optimizer, nb::handle loss, nb::handle loss_weights,
             nb::handle metrics, nb::handle weighted_metrics, bool run_eagerly,
             int64_t steps_per_execution, nb::handle jit_compile, bool auto_scale_loss) {
  nb::kwargs arguments;
  arguments["optimizer"] = optimizer;
  arguments["loss"] = loss;
  arguments["loss_weights"] = loss_weights;
  arguments["metrics"] = metrics;
  arguments["weighted_metrics"] = weighted_metrics;
  arguments["run_eagerly"] = run_eagerly;
  arguments["steps_per_execution"] = steps_per_execution;
  arguments["jit_compile"] = jit_compile;
  arguments["auto_scale_loss"] = auto_scale_loss;
  nb::list kept;
  const Shared model = shared_of(self);
  const WithoutTracing once;
  const CompileOptions options = to_compile_options(*model, arguments, kept);
  // Python's objects are held here, where its collector sees them. What was given before stays as
  // long as a step of `fit` may be using it.
  nb::object before = nb::getattr(self, "_compiled", nb::none());
  if (nb::getattr(self, "_training", nb::bool_(false)).is(Py_True) && !before.is_none())
    kept.append(before);
  PyObject_GenericSetAttr(self.ptr(), nb::str("_compiled").ptr(), kept.ptr());
  PyObject_GenericSetAttr(self.ptr(), nb::str("loss").ptr(), loss.ptr());
  Model(model).compile(options);
}

/// While one lives, the model is being trained.
class Training {
 public:
  explicit Training(nb::handle self) : self_(self) { set(Py_True); }
  ~Training() { set(Py_False); }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

 private:
  void set(PyObject* value) {
    PyObject_GenericSetAttr(self_.ptr(), nb::str("_training").ptr(), value);
  }
  nb::handle self_;
};

// fit, evaluate, predict

nb::object history_of(nb::handle self, const History& history, const FitOptions& options) {
  nb::dict numbers;
  for (const auto& [name, values] : history.history) numbers[name.c_str()] = nb::cast(values);
  nb::dict params;
  params["verbose"] = options.verbose.level();
  params["epochs"] = options.epochs;
  return nb::module_::import_("alula.keras.callbacks")
      .attr("History")
      .attr("_of")(self, nb::cast(history.epoch), numbers, params);
}

ValidationData to_validation(nb::handle self, nb::handle given) {
  if (given.is_none()) return {};
  if (PyTuple_Check(given.ptr()) || PyList_Check(given.ptr())) {
    const size_t size = nb::len(given);
    if (size != 2 && size != 3)
      throw nb::value_error("fit: validation_data is (x, y), (x, y, sample_weight) or a data set.");
    const ModelData data(self, nb::object(given[0]), nb::object(given[1]),
                         size == 3 ? nb::object(given[2]) : nb::none());
    return {data.arrays.x, data.arrays.y, data.arrays.sample_weight};
  }
  const ModelData data(self, given, nb::none(), nb::none());
  if (data.dataset) return *data.dataset;
  return {data.arrays.x, data.arrays.y};
}

nb::object fit(nb::handle self, nb::handle x, nb::handle y, nb::handle batch_size, int64_t epochs,
               nb::handle verbose, nb::handle callbacks, double validation_split,
               nb::handle validation_data, nb::handle shuffle, nb::handle class_weight,
               nb::handle sample_weight, int64_t initial_epoch, nb::handle steps_per_epoch,
               nb::handle validation_steps, nb::handle validation_batch_size,
               int64_t validation_freq) {
  const Model model(shared_of(self));
  trainer_of(model, "fit");
  FitOptions options;
  options.validation_data = to_validation(self, validation_data);
  ModelData data(self, x, y, sample_weight);
  options.batch_size = to_count(batch_size);
  options.epochs = epochs;
  options.verbose = to_verbosity(verbose);
  options.validation_split = validation_split;
  options.shuffle = Convert<bool>::from(shuffle);
  options.class_weight = to_class_weights(class_weight);
  options.sample_weight = data.arrays.sample_weight;
  options.initial_epoch = initial_epoch;
  options.steps_per_epoch = to_count(steps_per_epoch);
  options.validation_steps = to_count(validation_steps);
  options.validation_batch_size = to_count(validation_batch_size);
  options.validation_freq = validation_freq;
  const CallbackList list(callbacks, self);
  options.callbacks = list.refs();
  const Training training(self);
  const History history = without_lock([&] {
    // A data set is let go without the lock: its threads may be waiting for it.
    const ModelData own = std::move(data);
    return own.dataset ? model.fit(*own.dataset, options)
                       : model.fit(own.arrays.x, own.arrays.y, options);
  });
  return history_of(self, history, options);
}

nb::object results_of(const Logs& logs, bool return_dict) {
  if (return_dict) return to_dict(logs);
  nb::list values;
  for (const auto& [name, value] : logs) values.append(value);
  return values.size() == 1 ? nb::object(values[0]) : nb::object(values);
}

nb::object evaluate(nb::handle self, nb::handle x, nb::handle y, nb::handle batch_size,
                    nb::handle verbose, nb::handle sample_weight, nb::handle steps,
                    nb::handle callbacks, bool return_dict, const nb::kwargs&) {
  const Model model(shared_of(self));
  trainer_of(model, "evaluate");
  ModelData data(self, x, y, sample_weight);
  EvaluateOptions options;
  options.batch_size = to_count(batch_size);
  options.verbose = to_verbosity(verbose);
  options.sample_weight = data.arrays.sample_weight;
  options.steps = to_count(steps);
  const CallbackList list(callbacks, self);
  options.callbacks = list.refs();
  const Logs logs = without_lock([&] {
    const ModelData own = std::move(data);
    return own.dataset ? model.evaluate(*own.dataset, options)
                       : model.evaluate(own.arrays.x, own.arrays.y, options);
  });
  return results_of(logs, return_dict);
}

nb::object to_arrays(nb::handle self, const std::vector<Tensor>& results) {
  nb::list arrays;
  for (const Tensor& result : results) arrays.append(numpy().attr("asarray")(to_numpy(result)));
  const auto* python = dynamic_cast<PythonLayer*>(nb::inst_ptr<LayerImpl>(self));
  if (python != nullptr && python->overrides(PythonLayer::kCall) && !python->results.is_single() &&
      python->results.size() == results.size())
    return python->results.pack_objects(arrays);
  return results.size() == 1 ? nb::object(arrays[0]) : nb::object(arrays);
}

nb::object predict(nb::handle self, nb::handle x, nb::handle batch_size, nb::handle verbose,
                   nb::handle steps, nb::handle callbacks) {
  const Model model(shared_of(self));
  ModelData data(self, x, nb::none(), nb::none());
  PredictOptions options;
  options.batch_size = to_count(batch_size);
  options.verbose = to_verbosity(verbose);
  options.steps = to_count(steps);
  const CallbackList list(callbacks, self);
  options.callbacks = list.refs();
  const std::vector<Tensor> results = without_lock([&] {
    const ModelData own = std::move(data);
    return own.dataset ? model.predict_all(*own.dataset, options)
                       : model.predict_all(own.arrays.x, options);
  });
  return to_arrays(self, results);
}

template <Logs (Model::*kRun)(const TensorList&, const TensorList&, const TrainOnBatchOptions&)
              const>
nb::object on_batch(nb::handle self, nb::handle x, nb::handle y, nb::handle sample_weight,
                    nb::handle class_weight, bool return_dict) {
  const Model model(shared_of(self));
  const ModelData data(self, x, y, sample_weight);
  TrainOnBatchOptions options;
  options.sample_weight = data.arrays.sample_weight;
  options.class_weight = to_class_weights(class_weight);
  const Logs logs =
      without_lock([&] { return (model.*kRun)(data.arrays.x, data.arrays.y, options); });
  return results_of(logs, return_dict);
}

nb::object predict_on_batch(nb::handle self, nb::handle x) {
  const Shared model = shared_of(self);
  const ModelData data(self, x, nb::none(), nb::none());
  return to_arrays(
      self, without_lock([&] { return keras::predict_step(*model, {data.arrays.x, {}, {}}); }));
}

// Metrics

nb::list metrics_of(nb::handle self) {
  nb::list metrics;
  const Shared model = shared_of(self);
  if (model->trainer != nullptr)
    for (const auto& [name, metric] : model->trainer->metrics()) {
      nb::object known = nb::find(metric.impl());
      if (!known.is_valid()) {  // the trainer's own, which the object keeps alive
        known = nb::cast(&metric.impl(), nb::rv_policy::reference);
        known.attr("_owner") = nb::capsule(
            new std::shared_ptr<Trainer>(model->trainer),
            [](void* held) noexcept { delete static_cast<std::shared_ptr<Trainer>*>(held); });
      }
      metrics.append(known);
    }
  // Those that a class of its own keeps as attributes.
  const nb::object base =
      nb::module_::import_("alula._native").attr("keras").attr("metrics").attr("Metric");
  if (nb::hasattr(self, "__dict__"))
    for (const nb::handle value : nb::object(self.attr("__dict__").attr("values")()))
      if (PyObject_IsInstance(value.ptr(), base.ptr()) == 1 &&
          !nb::cast<bool>(metrics.attr("__contains__")(value)))
        metrics.append(value);
  return metrics;
}

nb::list metric_names(nb::handle self) {
  nb::list names;
  const Shared model = shared_of(self);
  if (model->trainer != nullptr)
    for (const auto& [name, metric] : model->trainer->metrics()) names.append(name);
  return names;
}

void reset_metrics(nb::handle self) {
  for (const nb::handle metric : metrics_of(self)) metric.attr("reset_state")();
}

nb::dict metric_results(nb::handle self) {
  nb::dict results;
  const Shared model = shared_of(self);
  if (model->trainer != nullptr)
    for (const auto& [name, metric] : model->trainer->metrics())
      results[name.c_str()] = wrap(metric.result());
  return results;
}

// Steps of a model's own

Batch to_batch(nb::handle x, nb::handle y, nb::handle sample_weight) {
  Batch batch;
  if (!x.is_none()) Structure::flatten(x, batch.x);
  if (!y.is_none()) Structure::flatten(y, batch.y);
  if (!sample_weight.is_none()) Structure::flatten(sample_weight, batch.sample_weight);
  return batch;
}

/// What compile's loss says of predictions, with the penalties on weights.
Tensor compute_loss(nb::handle self, nb::handle x, nb::handle y, nb::handle y_pred,
                    nb::handle sample_weight, bool) {
  const Batch batch = to_batch(x, y, sample_weight);
  std::vector<Tensor> predictions;
  Structure::flatten(y_pred, predictions);
  return trainer_of(Model(shared_of(self)), "compute_loss")->compute_loss(batch, predictions);
}

nb::dict compute_metrics(nb::handle self, nb::handle x, nb::handle y, nb::handle y_pred,
                         nb::handle sample_weight) {
  std::vector<Tensor> predictions;
  Structure::flatten(y_pred, predictions);
  Batch batch = to_batch(x, y, sample_weight);
  if (batch.x.empty()) batch.x = predictions;
  trainer_of(Model(shared_of(self)), "compute_metrics")->update_metrics(batch, predictions);
  return metric_results(self);
}

/// x, y and the weights from what a step is given.
Batch batch_of(nb::handle data) {
  if (!PyTuple_Check(data.ptr())) return to_batch(data, nb::none(), nb::none());
  const size_t size = nb::len(data);
  const auto part = [&](size_t i) -> nb::object {
    return i < size ? nb::object(data[i]) : nb::none();
  };
  return to_batch(part(0), part(1), part(2));
}

nb::dict default_step(nb::handle self, nb::handle data, bool training) {
  const Shared model = shared_of(self);
  const Batch batch = batch_of(data);
  const auto trainer = trainer_of(Model(model), training ? "train_step" : "test_step");
  Tensor loss;
  std::vector<Tensor> predictions;
  if (training) {
    GradientTape tape;
    predictions = model->run_all(batch.x, {.training = true});
    loss = trainer->compute_loss(batch, predictions);
    const std::vector<Variable> variables = Layer(model).trainable_variables();
    const Tensor scaled = trainer->optimizer().scale_loss(loss);
    trainer->optimizer().apply(tape.gradient(scaled, variables), variables);
  } else {
    predictions = model->run_all(batch.x, {.training = false});
    loss = trainer->compute_loss(batch, predictions);
  }
  const int64_t rows = batch.x[0].rank() == 0 ? 1 : batch.x[0].shape()[0];
  trainer->metrics()[0].second.update_state(loss, {}, Tensor(Number(rows), float32));
  trainer->update_metrics(batch, predictions);
  return metric_results(self);
}

nb::object pack_batch(const PyModel& model, const Batch& batch) {
  const auto packed = [](const Structure& structure, const std::vector<Tensor>& tensors) {
    if (structure.size() == tensors.size()) return structure.pack(tensors);
    return tensors.size() == 1 ? wrap(tensors[0]) : nb::object(wrap_all(tensors));
  };
  nb::list parts;
  parts.append(packed(model.inputs, batch.x));
  if (!batch.y.empty()) parts.append(packed(model.targets, batch.y));
  if (!batch.sample_weight.empty()) parts.append(packed(Structure(), batch.sample_weight));
  return nb::tuple(parts);
}

OwnSteps::Measured to_measured(nb::handle result) {
  OwnSteps::Measured measured;
  if (!PyDict_Check(result.ptr()))
    throw nb::value_error(fmt::format("train_step: it returns a dict of numbers by name. Got {}.",
                                      nb::repr(result).c_str())
                              .c_str());
  for (const auto [key, value] : nb::cast<nb::dict>(result))
    if (PyDict_Check(value.ptr()))
      for (const auto& inner : to_measured(value)) measured.push_back(inner);
    else
      measured.emplace_back(nb::cast<std::string>(key), to_tensor(value));
  return measured;
}

}  // namespace

void set_own_steps(nb::handle self, PyModel& model) {
  const nb::object base = nb::module_::import_("alula._native").attr("keras").attr("Model");
  const auto overridden = [&](const char* name) {
    return !nb::object(self.type().attr(name)).is(nb::object(base.attr(name)));
  };
  // The model lies inside of `self`: it is borrowed.
  const auto step = [self, &model](const char* name) {
    return [self, &model, name](const Batch& batch) {
      const nb::gil_scoped_acquire lock;
      return to_measured(as_traced(self.attr(name))(pack_batch(model, batch)));
    };
  };
  if (overridden("train_step")) model.own_steps.train = step("train_step");
  if (overridden("test_step")) model.own_steps.test = step("test_step");
  if (overridden("predict_step"))
    model.own_steps.predict = [self, &model](const Batch& batch) {
      const nb::gil_scoped_acquire lock;
      std::vector<Tensor> tensors;
      model.results = Structure::flatten(
          as_traced(self.attr("predict_step"))(pack_batch(model, batch)), tensors);
      return tensors;
    };
  if (model.own_steps.train || model.own_steps.test)
    model.own_steps.reset = [self] {
      const nb::gil_scoped_acquire lock;
      self.attr("reset_metrics")();
    };
}

void bind_keras_training(nb::class_<ModelImpl, LayerImpl, PyModel>& type) {
  type.def("compile", &compile, "optimizer"_a = "rmsprop", "loss"_a = nb::none(),
           "loss_weights"_a = nb::none(), "metrics"_a = nb::none(),
           "weighted_metrics"_a = nb::none(), "run_eagerly"_a = false, "steps_per_execution"_a = 1,
           "jit_compile"_a = "auto", "auto_scale_loss"_a = true,
           "Says how the model is trained. It can be called again; weights stay.")
      .def("fit", &fit, "x"_a = nb::none(), "y"_a = nb::none(), "batch_size"_a = nb::none(),
           "epochs"_a = 1, "verbose"_a = "auto", "callbacks"_a = nb::none(),
           "validation_split"_a = 0.0, "validation_data"_a = nb::none(), "shuffle"_a = true,
           "class_weight"_a = nb::none(), "sample_weight"_a = nb::none(), "initial_epoch"_a = 0,
           "steps_per_epoch"_a = nb::none(), "validation_steps"_a = nb::none(),
           "validation_batch_size"_a = nb::none(), "validation_freq"_a = 1,
           "Trains for some epochs. Arrays must not change meanwhile.")
      .def("evaluate", &evaluate, "x"_a = nb::none(), "y"_a = nb::none(),
           "batch_size"_a = nb::none(), "verbose"_a = "auto", "sample_weight"_a = nb::none(),
           "steps"_a = nb::none(), "callbacks"_a = nb::none(), "return_dict"_a = false, "kwargs"_a,
           "Loss and metrics over all samples.")
      .def("predict", &predict, "x"_a, "batch_size"_a = nb::none(), "verbose"_a = "auto",
           "steps"_a = nb::none(), "callbacks"_a = nb::none(),
           "The outputs for all samples, as arrays of NumPy.")
      .def("train_on_batch", &on_batch<&Model::train_on_batch>, "x"_a, "y"_a = nb::none(),
           "sample_weight"_a = nb::none(), "class_weight"_a = nb::none(), "return_dict"_a = false,
           "One step of training on one batch.")
      .def(
          "test_on_batch",
          [](nb::handle self, nb::handle x, nb::handle y, nb::handle sample_weight, bool dict) {
            return on_batch<&Model::test_on_batch>(self, x, y, sample_weight, nb::none(), dict);
          },
          "x"_a, "y"_a = nb::none(), "sample_weight"_a = nb::none(), "return_dict"_a = false,
          "Loss and metrics of one batch.")
      .def("predict_on_batch", &predict_on_batch, "x"_a, "The outputs for one batch.")
      .def_prop_ro("optimizer",
                   [](const ModelImpl& self) -> nb::object {
                     if (self.trainer == nullptr) return nb::none();
                     return nb::cast(self.trainer->optimizer().impl().shared_from_this());
                   })
      .def_prop_ro("compiled", [](const ModelImpl& self) { return self.trainer != nullptr; })
      .def_prop_ro("metrics", &metrics_of)
      .def_prop_ro("metrics_names", &metric_names)
      .def("reset_metrics", &reset_metrics, "Starts all metrics again.")
      .def("get_metrics_result", &metric_results, "The metrics so far, by name.")
      .def(
          "compute_loss",
          [](nb::handle self, nb::handle x, nb::handle y, nb::handle y_pred, nb::handle weight,
             bool training) { return wrap(compute_loss(self, x, y, y_pred, weight, training)); },
          "x"_a = nb::none(), "y"_a = nb::none(), "y_pred"_a = nb::none(),
          "sample_weight"_a = nb::none(), "training"_a = true,
          "The loss of predictions, as compile() was told, with the penalties on weights.")
      .def("compute_metrics", &compute_metrics, "x"_a, "y"_a, "y_pred"_a,
           "sample_weight"_a = nb::none(), "Adds a batch to the metrics.")
      .def(
          "train_step",
          [](nb::handle self, nb::handle data) { return default_step(self, data, true); }, "data"_a,
          "What `fit` does with one batch; override it to train otherwise.")
      .def(
          "test_step",
          [](nb::handle self, nb::handle data) { return default_step(self, data, false); },
          "data"_a, "What `evaluate` does with one batch.")
      .def(
          "predict_step",
          [](nb::handle self, nb::handle data) {
            const nb::object x = PyTuple_Check(data.ptr()) ? nb::object(data[0]) : nb::borrow(data);
            return self(x, "training"_a = false);
          },
          "data"_a, "What `predict` does with one batch.")
      .def_prop_rw(
          "stop_training", [](const ModelImpl& self) { return self.stop_training; },
          [](ModelImpl& self, bool stop) { self.stop_training = stop; });
}

}  // namespace alula::python
