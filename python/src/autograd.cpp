#include "alula/graph/vectorized_map.h"
#include "python/src/convert.h"
#include "python/src/module.h"
#include "python/src/ops.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

/// A tape as Python drives it: it records between `start` and `stop`.
class Tape {
 public:
  Tape(bool persistent, bool watch_accessed_variables)
      : options_{.persistent = persistent, .watch_accessed_variables = watch_accessed_variables} {}

  void start() {
    if (tape_ == nullptr)
      tape_ = std::make_unique<GradientTape>(options_);
    else
      tape_->resume();
  }
  void stop() {
    if (tape_ != nullptr) tape_->stop();
  }
  bool is_recording() const { return tape_ != nullptr && tape_->is_recording(); }
  bool has_recorded() const { return tape_ != nullptr; }

  GradientTape& tape() {
    require<FailedPreconditionError>(
        tape_ != nullptr, "GradientTape: it has not recorded anything. Use it in a `with`.");
    return *tape_;
  }

  void watch(nb::handle value) {
    if (const Tensor* tensor = held_tensor(value))
      tape().watch(*tensor);
    else if (const Variable* variable = held_variable(value))
      tape().watch(*variable);
    else
      throw nb::value_error(
          fmt::format("Passed in object {} of type '{}', not tf.Tensor or tf.Variable.",
                      nb::repr(value).c_str(), nb::type_name(value.type()).c_str())
              .c_str());
  }

  void pause(bool on) {
    if (on)
      pauses_.push_back(std::make_unique<GradientTape::Pause>(tape()));
    else
      pauses_.pop_back();
  }

 private:
  GradientTapeOptions options_;
  std::unique_ptr<GradientTape> tape_;
  std::vector<std::unique_ptr<GradientTape::Pause>> pauses_;
};

GradientSource source_of(nb::handle value) {
  if (const Variable* variable = held_variable(value)) return *variable;
  if (const Tensor* tensor = held_tensor(value)) return *tensor;
  throw nb::value_error(
      fmt::format("gradient: the sources must be tensors or variables. Got {} of type '{}'.",
                  nb::repr(value).c_str(), nb::type_name(value.type()).c_str())
          .c_str());
}

/// What a gradient is taken of and with respect to.
struct Request {
  std::vector<Tensor> targets, seeds;
  std::vector<GradientSource> sources;

  /// Targets that are no floats, of which nothing has a gradient, are left out.
  Request(const nb::list& targets, const nb::list& sources, nb::handle output_gradients) {
    for (size_t i = 0; i < targets.size(); ++i) {
      const Tensor target = to_tensor(targets[i]);
      if (!is_floating(target.dtype())) {
        logging::warn(
            "GradientTape: only floating types can be differentiated. Got {} as a target.",
            target.spec());
        continue;
      }
      this->targets.push_back(target);
      if (output_gradients.is_none()) continue;
      const nb::object seed = output_gradients[i];
      seeds.push_back(seed.is_none() ? Tensor() : to_tensor(seed, target.dtype()));
    }
    for (const nb::handle source : sources) this->sources.push_back(source_of(source));
  }
};

nb::object wrap_or_none(const Tensor& tensor) {
  if (!tensor.defined()) return nb::none();
  return wrap(tensor);
}
nb::list wrap_or_none(const std::vector<Tensor>& tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) list.append(wrap_or_none(tensor));
  return list;
}

nb::list gradient(Tape& self, const nb::list& targets, const nb::list& sources,
                  nb::handle output_gradients, bool zero) {
  const Request request(targets, sources, output_gradients);
  GradientTape& tape = self.tape();
  return wrap_or_none(without_lock([&] {
    return tape.gradient(request.targets, request.sources, request.seeds,
                         zero ? UnconnectedGradients::kZero : UnconnectedGradients::kNone);
  }));
}

/// The gradients for many seeds at once, [seeds, …]: the way back is traced for one of them and
/// then run for all.
std::vector<Tensor> gradients_of_seeds(GradientTape& tape, const Tensor& target,
                                       std::span<const GradientSource> sources, const Tensor& seeds,
                                       UnconnectedGradients unconnected) {
  std::vector<Tensor> results(sources.size());
  std::vector<size_t> connected;
  const auto for_one = [&](const std::vector<Tensor>& seed) {
    const std::vector<Tensor> gradients = tape.gradient({&target, 1}, sources, seed, unconnected);
    std::vector<Tensor> defined;
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined()) {
        connected.push_back(i);
        defined.push_back(gradients[i]);
      }
    return defined;
  };
  const std::vector<Tensor> stacked = graph::map_vectorized(for_one, {seeds});
  for (size_t k = 0; k < connected.size(); ++k) results[connected[k]] = stacked[k];
  return results;
}

nb::list jacobian(Tape& self, Like target, const nb::list& sources, bool zero) {
  const Tensor of = target.tensor();
  std::vector<GradientSource> from;
  for (const nb::handle source : sources) from.push_back(source_of(source));
  GradientTape& tape = self.tape();
  return wrap_or_none(without_lock([&] {
    const Tensor seeds =
        reshape(eye(of.size(), {.dtype = of.dtype()}), Shape{of.size()} + of.shape());
    std::vector<Tensor> results = gradients_of_seeds(
        tape, of, from, seeds, zero ? UnconnectedGradients::kZero : UnconnectedGradients::kNone);
    for (Tensor& result : results)
      if (result.defined())
        result = reshape(result, of.shape() + result.shape().slice(1, result.rank()));
    return results;
  }));
}

nb::object batch_jacobian(Tape& self, Like target, nb::handle source, bool zero) {
  const Tensor of = target.tensor();
  const GradientSource from = source_of(source);
  const Spec like = to_tensor(source).spec();
  require(of.rank() > 0 && like.shape.rank() > 0 && of.shape()[0] == like.shape[0],
          "batch_jacobian: target and source need the same first dimension. Got {} and {}.",
          of.spec(), like);
  GradientTape& tape = self.tape();
  return wrap_or_none(without_lock([&] {
    const int64_t batch = of.shape()[0];
    const Shape row = of.shape().slice(1, of.rank());
    const Tensor one = reshape(eye(row.size(), {.dtype = of.dtype()}), Shape{row.size(), 1} + row);
    const Tensor seeds = broadcast_to(one, Shape{row.size(), batch} + row);
    const Tensor gradient =
        gradients_of_seeds(tape, of, {&from, 1}, seeds,
                           zero ? UnconnectedGradients::kZero : UnconnectedGradients::kNone)[0];
    if (!gradient.defined()) return gradient;
    std::vector<int64_t> order{1, 0};
    for (int i = 2; i < gradient.rank(); ++i) order.push_back(i);
    return reshape(transpose(gradient, order),
                   Shape{batch} + row + like.shape.slice(1, like.shape.rank()));
  }));
}

/// What Python's function gives: values and, from what it returned, how gradients are computed.
internal::ValuesWithGradient values_with_gradient(nb::handle function,
                                                  std::span<const Tensor> inputs) {
  const nb::gil_scoped_acquire lock;
  nb::list arguments;
  for (const Tensor& input : inputs) arguments.append(wrap(input));
  const nb::object result = function(arguments);
  internal::ValuesWithGradient values;
  for (const nb::handle value : nb::cast<nb::list>(result[0]))
    values.values.push_back(to_tensor(value));
  values.gradient = [gradient = Held(result[1])](std::span<const Tensor> dy) {
    const nb::gil_scoped_acquire lock;
    nb::list given;
    for (const Tensor& tensor : dy) given.append(wrap_or_none(tensor));
    std::vector<Tensor> gradients;
    for (const nb::handle value : nb::cast<nb::list>(gradient.get()(given)))
      gradients.push_back(value.is_none() ? Tensor() : to_tensor(value));
    return gradients;
  };
  return values;
}

}  // namespace

void bind_autograd(nb::module_& m) {
  nb::class_<Tape>(m, "_Tape")
      .def(nb::init<bool, bool>())
      .def("start", &Tape::start)
      .def("stop", &Tape::stop)
      .def("is_recording", &Tape::is_recording)
      .def("has_recorded", &Tape::has_recorded)
      .def("watch", &Tape::watch)
      .def("pause", &Tape::pause)
      .def("reset", [](Tape& self) { self.tape().reset(); })
      .def("watched_variables",
           [](Tape& self) {
             nb::list variables;
             for (const Variable& variable : self.tape().watched_variables())
               variables.append(object_of(variable));
             return variables;
           })
      .def("gradient", &gradient, "targets"_a, "sources"_a, "output_gradients"_a.none(), "zero"_a)
      .def("jacobian", &jacobian)
      .def("batch_jacobian", &batch_jacobian);
  m.def("_custom_gradient", [](const nb::list& inputs, nb::handle function) {
    std::vector<Tensor> tensors;
    for (const nb::handle input : inputs) tensors.push_back(to_tensor(input));
    const Held held(function);
    return wrap_all(internal::run_custom(
        [held](std::span<const Tensor> values) { return values_with_gradient(held.get(), values); },
        tensors));
  });
}

}  // namespace alula::python
