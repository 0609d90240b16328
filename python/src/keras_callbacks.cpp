#include "python/src/keras_callbacks.h"

#include <chrono>

#include "python/src/keras_layer.h"

namespace alula::python {

using keras::Callback;
using keras::Logs;

template <>
struct Convert<keras::callbacks::SaveFrequency> {
  static keras::callbacks::SaveFrequency from(nb::handle value) {
    if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value).c_str();
    return nb::cast<int>(value);
  }
  static nb::object to(const keras::callbacks::SaveFrequency& value) {
    return value.batches() == 0 ? nb::object(nb::str("epoch")) : nb::cast(value.batches());
  }
  static constexpr const char* kAnnotation = "str | int";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::callbacks::UpdateFrequency> {
  static keras::callbacks::UpdateFrequency from(nb::handle value) {
    if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value).c_str();
    return nb::cast<int>(value);
  }
  static nb::object to(const keras::callbacks::UpdateFrequency& value) {
    return value.batches() == 0 ? nb::object(nb::str("epoch")) : nb::cast(value.batches());
  }
  static constexpr const char* kAnnotation = "str | int";
  static constexpr bool kKeeps = false;
};
template <>
struct Convert<keras::callbacks::EpochSchedule> {
  static keras::callbacks::EpochSchedule from(nb::handle value) {
    if (PyCallable_Check(value.ptr()) == 0) throw std::bad_cast();
    // Keras takes functions of the epoch alone as well.
    nb::object code = nb::getattr(value, "__code__", nb::none());
    const bool alone = !code.is_none() && nb::cast<int>(code.attr("co_argcount")) == 1 &&
                       nb::getattr(value, "__self__", nb::none()).is_none();
    return [alone, function = Held(value)](int64_t epoch, double rate) {
      const nb::gil_scoped_acquire lock;
      const nb::object result = alone ? function.get()(epoch) : function.get()(epoch, rate);
      return cast(to_tensor(result), float64).item<double>();
    };
  }
  static nb::object to(const keras::callbacks::EpochSchedule&) { return nb::none(); }
  static constexpr const char* kAnnotation = "typing.Callable";
  static constexpr bool kKeeps = false;
};

nb::dict to_dict(const Logs& logs) {
  nb::dict dict;
  for (const auto& [name, value] : logs) dict[name.c_str()] = value;
  return dict;
}

namespace {

Logs to_logs(nb::handle dict) {
  Logs logs;
  if (dict.is_none()) return logs;
  for (const auto [key, value] : nb::cast<nb::dict>(dict))
    logs.set(nb::cast<std::string_view>(key), cast(to_tensor(value), float64).item<double>());
  return logs;
}

enum Hook : uint8_t {
  kTrainBegin,
  kTrainEnd,
  kEpochBegin,
  kEpochEnd,
  kTrainBatchBegin,
  kTrainBatchEnd,
  kTestBegin,
  kTestEnd,
  kTestBatchBegin,
  kTestBatchEnd,
  kPredictBegin,
  kPredictEnd,
  kPredictBatchBegin,
  kPredictBatchEnd,
  kHookCount
};
constexpr const char* kHooks[kHookCount] = {
    "on_train_begin",         "on_train_end",        "on_epoch_begin",   "on_epoch_end",
    "on_train_batch_begin",   "on_train_batch_end",  "on_test_begin",    "on_test_end",
    "on_test_batch_begin",    "on_test_batch_end",   "on_predict_begin", "on_predict_end",
    "on_predict_batch_begin", "on_predict_batch_end"};
/// Keras's older names of the hooks of training batches.
constexpr std::pair<Hook, const char*> kOlder[] = {{kTrainBatchBegin, "on_batch_begin"},
                                                   {kTrainBatchEnd, "on_batch_end"}};

nb::handle callback_type;

/// Between `fit` and an object of Python: calls what its class overrides, and passes the rest to
/// the C++ callback inside of it.
class Relay final : public Callback {
 public:
  Relay(nb::handle object, Callback* native) : object_(object), native_(native) {
    const nb::handle type = object.type();
    const nb::object own = nb::getattr(object, "__dict__", nb::dict());
    for (int hook = 0; hook < kHookCount; ++hook) {
      names_[hook] = kHooks[hook];
      overridden_[hook] = !nb::object(nb::getattr(type, kHooks[hook], nb::none()))
                               .is(nb::object(callback_type.attr(kHooks[hook]))) ||
                          nb::cast<bool>(own.attr("__contains__")(kHooks[hook]));
    }
    for (const auto& [hook, name] : kOlder)
      if (!overridden_[hook] && nb::hasattr(object, name)) {
        overridden_[hook] = true;
        names_[hook] = name;
      }
  }

  void on_train_begin() override {
    pass_params();
    if (!call(kTrainBegin, Logs())) forward([](Callback& c) { c.on_train_begin(); });
  }
  void on_train_end(const Logs& logs) override {
    if (!call(kTrainEnd, logs)) forward([&](Callback& c) { c.on_train_end(logs); });
  }
  void on_epoch_begin(int64_t epoch) override {
    if (!call(kEpochBegin, epoch, Logs())) forward([&](Callback& c) { c.on_epoch_begin(epoch); });
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    if (!overridden_[kEpochEnd]) {
      forward([&](Callback& c) { c.on_epoch_end(epoch, logs); });
      return;
    }
    const nb::gil_scoped_acquire lock;
    const nb::dict dict = to_dict(logs);
    object_.attr(names_[kEpochEnd])(epoch, dict);
    for (const auto& [name, value] : to_logs(dict)) logs.set(name, value);  // what it added
  }
  void on_train_batch_begin(int64_t batch) override {
    if (!call(kTrainBatchBegin, batch, Logs()))
      forward([&](Callback& c) { c.on_train_batch_begin(batch); });
  }
  void on_train_batch_end(int64_t batch, const Logs& logs) override {
    if (!call(kTrainBatchEnd, batch, logs))
      forward([&](Callback& c) { c.on_train_batch_end(batch, logs); });
  }
  void on_test_begin() override {
    pass_params();
    if (!call(kTestBegin, Logs())) forward([](Callback& c) { c.on_test_begin(); });
  }
  void on_test_end(const Logs& logs) override {
    if (!call(kTestEnd, logs)) forward([&](Callback& c) { c.on_test_end(logs); });
  }
  void on_test_batch_begin(int64_t batch) override {
    if (!call(kTestBatchBegin, batch, Logs()))
      forward([&](Callback& c) { c.on_test_batch_begin(batch); });
  }
  void on_test_batch_end(int64_t batch, const Logs& logs) override {
    if (!call(kTestBatchEnd, batch, logs))
      forward([&](Callback& c) { c.on_test_batch_end(batch, logs); });
  }
  void on_predict_begin() override {
    pass_params();
    if (!call(kPredictBegin, Logs())) forward([](Callback& c) { c.on_predict_begin(); });
  }
  void on_predict_end() override {
    if (!call(kPredictEnd, Logs())) forward([](Callback& c) { c.on_predict_end(); });
  }
  void on_predict_batch_begin(int64_t batch) override {
    if (!call(kPredictBatchBegin, batch, Logs()))
      forward([&](Callback& c) { c.on_predict_batch_begin(batch); });
  }
  void on_predict_batch_end(int64_t batch) override {
    if (!call(kPredictBatchEnd, batch, Logs()))
      forward([&](Callback& c) { c.on_predict_batch_end(batch); });
  }
  bool uses_batches() const override {
    // A plain object of the base class would say yes.
    const bool native = native_ != nullptr && typeid(*native_) != typeid(Callback);
    return overridden_[kTrainBatchEnd] || overridden_[kTestBatchEnd] ||
           (native && native_->uses_batches());
  }

 private:
  void pass_params() {
    if (native_ != nullptr) native_->set_params(params());
    const nb::gil_scoped_acquire lock;
    nb::dict dict;
    dict["verbose"] = params().verbose;
    dict["epochs"] = params().epochs;
    dict["steps"] = params().steps < 0 ? nb::none() : nb::object(nb::int_(params().steps));
    object_.attr("set_params")(dict);
  }
  bool call(Hook hook, const Logs& logs) {
    if (!overridden_[hook]) return false;
    const nb::gil_scoped_acquire lock;
    object_.attr(names_[hook])(to_dict(logs));
    return true;
  }
  bool call(Hook hook, int64_t number, const Logs& logs) {
    if (!overridden_[hook]) return false;
    const nb::gil_scoped_acquire lock;
    object_.attr(names_[hook])(number, to_dict(logs));
    return true;
  }
  template <class F>
  void forward(const F& f) {
    if (native_ != nullptr) f(*native_);
  }

  nb::handle object_;  // the list of callbacks holds it
  Callback* native_;
  bool overridden_[kHookCount] = {};
  const char* names_[kHookCount] = {};
};

/// Python notes signals, and asks to be given a chance to deal with them.
class Signals final : public Callback {
 public:
  void on_train_batch_begin(int64_t) override { poll(); }
  void on_test_batch_begin(int64_t) override { poll(); }
  void on_predict_batch_begin(int64_t) override { poll(); }
  bool uses_batches() const override { return false; }

 private:
  void poll() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A hook that Python calls on a C++ callback, as by super().
template <class F>
void on_native(nb::handle self, const F& f) {
  if (nb::inst_ready(self)) f(*nb::inst_ptr<Callback>(self));
}

template <class C, class Options>
auto def_callback(nb::module_& m, const char* name, const char* doc, std::vector<Field> fields) {
  static const Table table(name, std::move(fields));
  static const Options defaults{};
  static const std::string signature = table.signature(&defaults);
  return nb::class_<C, Callback>(m, name, doc)
      .def(
          "__init__",
          [](C* self, const nb::args& args, const nb::kwargs& kwargs) {
            Options options;
            nb::object kept;
            table.read(&options, args, kwargs, kept);
            new (self) C(options);
          },
          nb::sig(signature.c_str()));
}

void bind_classes(nb::module_& m) {
  using namespace keras::callbacks;
  using E = EarlyStoppingOptions;
  const auto best = [](const auto& self) {
    return Convert<keras::Setting<double>>::to(self.best());
  };
  def_callback<EarlyStopping, E>(
      m, "EarlyStopping", "Stops training when a number no longer gets better.",
      {field("monitor", &E::monitor), field("min_delta", &E::min_delta),
       field("patience", &E::patience), field("verbose", &E::verbose), field("mode", &E::mode),
       field("baseline", &E::baseline), field("restore_best_weights", &E::restore_best_weights),
       field("start_from_epoch", &E::start_from_epoch)})
      .def_prop_ro("stopped_epoch", &EarlyStopping::stopped_epoch)
      .def_prop_ro("best_epoch", &EarlyStopping::best_epoch)
      .def_prop_ro("best", [best](const EarlyStopping& self) { return best(self); });
  using R = ReduceLROnPlateauOptions;
  def_callback<ReduceLROnPlateau, R>(
      m, "ReduceLROnPlateau", "Lowers the learning rate when a number no longer gets better.",
      {field("monitor", &R::monitor), field("factor", &R::factor), field("patience", &R::patience),
       field("verbose", &R::verbose), field("mode", &R::mode), field("min_delta", &R::min_delta),
       field("cooldown", &R::cooldown), field("min_lr", &R::min_lr)});
  using M = ModelCheckpointOptions;
  def_callback<ModelCheckpoint, M>(
      m, "ModelCheckpoint",
      "Saves a model's weights while it is trained, in the safetensors format.",
      {needed("filepath", &M::filepath), field("monitor", &M::monitor),
       field("verbose", &M::verbose), field("save_best_only", &M::save_best_only),
       field("save_weights_only", &M::save_weights_only), field("mode", &M::mode),
       field("save_freq", &M::save_freq),
       field("initial_value_threshold", &M::initial_value_threshold)})
      .def_prop_ro("best", [best](const ModelCheckpoint& self) { return best(self); });
  using C = CSVLoggerOptions;
  def_callback<CSVLogger, C>(m, "CSVLogger", "Writes each epoch's numbers to a file.",
                             {needed("filename", &C::filename), field("separator", &C::separator),
                              field("append", &C::append)});
  using L = LearningRateSchedulerOptions;
  def_callback<LearningRateScheduler, L>(
      m, "LearningRateScheduler", "Sets the learning rate at the start of each epoch.",
      {needed("schedule", &L::schedule), field("verbose", &L::verbose)});
  using T = TensorBoardOptions;
  def_callback<TensorBoard, T>(
      m, "TensorBoard", "Writes what TensorBoard shows.",
      {field("log_dir", &T::log_dir), field("histogram_freq", &T::histogram_freq),
       field("write_graph", &T::write_graph), field("write_images", &T::write_images),
       field("write_steps_per_second", &T::write_steps_per_second),
       field("update_freq", &T::update_freq), field("profile_batch", &T::profile_batch),
       field("embeddings_freq", &T::embeddings_freq), missing("embeddings_metadata")});
  using N = TerminateOnNaNOptions;
  def_callback<TerminateOnNaN, N>(m, "TerminateOnNaN",
                                  "Stops training after the batch whose loss is not a number.",
                                  {field("raise_error", &N::raise_error)});
}

}  // namespace

CallbackList::CallbackList(nb::handle callbacks, nb::handle model) {
  refs_.push_back(keras::CallbackRef(std::make_shared<Signals>()));
  if (callbacks.is_none()) return;
  const auto add = [&](nb::handle object) {
    if (PyObject_IsInstance(object.ptr(), callback_type.ptr()) != 1)
      throw nb::value_error(fmt::format("callbacks: each is an object of a class that derives from "
                                        "tf.keras.callbacks.Callback. Got {}.",
                                        nb::repr(object).c_str())
                                .c_str());
    object.attr("set_model")(model);
    Callback* native = nb::inst_ready(object) ? nb::inst_ptr<Callback>(object) : nullptr;
    if (native != nullptr) {
      native->set_model(keras::Model(nb::cast<std::shared_ptr<keras::ModelImpl>>(model)));
      native_.push_back(native);
    }
    refs_.push_back(keras::CallbackRef(std::make_shared<Relay>(object, native)));
  };
  if (PyList_Check(callbacks.ptr()) || PyTuple_Check(callbacks.ptr()))
    for (const nb::handle object : callbacks) add(object);
  else
    add(callbacks);
}

/// The objects of Python go on knowing the model; C++ lets go of it, for Python cannot see through
/// C++ to collect a cycle of both.
CallbackList::~CallbackList() {
  for (Callback* callback : native_) callback->set_model(keras::Model());
}

void bind_keras_callbacks(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("callbacks", "Told of what happens in training.");
  nb::class_<Callback> type(
      m, "Callback", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "Told of what happens in `fit`, `evaluate` and `predict`. Override what is of interest.");
  callback_type = type;
  type.attr("model") = nb::none();
  type.attr("params") = nb::none();
  type.def(nb::init<>())
      .def(
          "set_model", [](nb::handle self, nb::handle model) { self.attr("model") = model; },
          "model"_a)
      .def(
          "set_params", [](nb::handle self, nb::handle params) { self.attr("params") = params; },
          "params"_a);
  const auto plain = [&](const char* name, void (Callback::*hook)()) {
    type.def(
        name,
        [hook](nb::handle self, nb::handle) { on_native(self, [&](Callback& c) { (c.*hook)(); }); },
        "logs"_a = nb::none());
  };
  const auto with_logs = [&](const char* name, void (Callback::*hook)(const Logs&)) {
    type.def(
        name,
        [hook](nb::handle self, nb::handle logs) {
          on_native(self, [&](Callback& c) { (c.*hook)(to_logs(logs)); });
        },
        "logs"_a = nb::none());
  };
  const auto numbered = [&](const char* name, const char* argument,
                            void (Callback::*hook)(int64_t)) {
    type.def(
        name,
        [hook](nb::handle self, int64_t number, nb::handle) {
          on_native(self, [&](Callback& c) { (c.*hook)(number); });
        },
        nb::arg(argument), "logs"_a = nb::none());
  };
  const auto numbered_logs = [&](const char* name, void (Callback::*hook)(int64_t, const Logs&)) {
    type.def(
        name,
        [hook](nb::handle self, int64_t number, nb::handle logs) {
          on_native(self, [&](Callback& c) { (c.*hook)(number, to_logs(logs)); });
        },
        "batch"_a, "logs"_a = nb::none());
  };
  plain("on_train_begin", &Callback::on_train_begin);
  with_logs("on_train_end", &Callback::on_train_end);
  numbered("on_epoch_begin", "epoch", &Callback::on_epoch_begin);
  type.def(
      "on_epoch_end",
      [](nb::handle self, int64_t epoch, nb::handle dict) {
        on_native(self, [&](Callback& c) {
          Logs logs = to_logs(dict);
          c.on_epoch_end(epoch, logs);
          if (dict.is_none()) return;
          for (const auto& [name, value] : logs) dict[name.c_str()] = value;
        });
      },
      "epoch"_a, "logs"_a = nb::none());
  numbered("on_train_batch_begin", "batch", &Callback::on_train_batch_begin);
  numbered_logs("on_train_batch_end", &Callback::on_train_batch_end);
  plain("on_test_begin", &Callback::on_test_begin);
  with_logs("on_test_end", &Callback::on_test_end);
  numbered("on_test_batch_begin", "batch", &Callback::on_test_batch_begin);
  numbered_logs("on_test_batch_end", &Callback::on_test_batch_end);
  plain("on_predict_begin", &Callback::on_predict_begin);
  plain("on_predict_end", &Callback::on_predict_end);
  numbered("on_predict_batch_begin", "batch", &Callback::on_predict_batch_begin);
  numbered("on_predict_batch_end", "batch", &Callback::on_predict_batch_end);
  bind_classes(m);
}

}  // namespace alula::python
