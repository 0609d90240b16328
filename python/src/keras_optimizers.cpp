#include "python/src/keras_configured.h"
#include "python/src/keras_layer.h"
#include "python/src/ops.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

using namespace alula::keras;
using namespace alula::keras::optimizers;
using keras::Optimizer;

std::vector<Variable> to_variables(nb::handle list, const char* who) {
  std::vector<Variable> variables;
  for (const nb::handle item : list) {
    const Variable* variable = held_variable(item);
    if (variable == nullptr)
      throw nb::type_error(
          fmt::format("{}: variables are wanted. Got {}.", who, nb::repr(item).c_str()).c_str());
    variables.push_back(*variable);
  }
  return variables;
}

std::vector<Tensor> to_gradients(nb::handle list) {
  std::vector<Tensor> gradients;
  for (const nb::handle item : list)
    gradients.push_back(item.is_none() ? Tensor() : to_tensor(item));
  return gradients;
}

using Shared = std::shared_ptr<OptimizerImpl>;  // calls that are traced hold the optimizer

void apply(const Shared& self, const std::vector<Tensor>& gradients,
           const std::vector<Variable>& variables) {
  int64_t work = 0;
  for (const Variable& variable : variables) work += variable.size();
  without_lock(work, [&] {
    self->apply(gradients, variables);
    return 0;
  });
}

void apply_gradients(const Shared& self, nb::handle grads_and_vars, nb::handle) {
  nb::list gradients, variables;
  for (const nb::handle pair : grads_and_vars) {
    gradients.append(nb::object(pair[0]));
    variables.append(nb::object(pair[1]));
  }
  if (nb::len(variables) == 0)
    throw nb::value_error("apply_gradients: no gradients were given for any variable.");
  apply(self, to_gradients(gradients), to_variables(variables, "apply_gradients"));
}

void apply_lists(const Shared& self, nb::handle grads, nb::handle trainable_variables) {
  if (!trainable_variables.is_none()) {
    apply(self, to_gradients(grads), to_variables(trainable_variables, "apply"));
    return;
  }
  throw nb::value_error("apply: say which variables the gradients are for.");
}

/// One step on a loss: a function to be called, or a tensor beside the tape that saw it.
void minimize(const Shared& self, nb::handle loss, nb::handle var_list, nb::handle tape,
              nb::handle) {
  nb::object list = nb::borrow(var_list);
  if (PyCallable_Check(loss.ptr()) != 0 && held_tensor(loss) == nullptr) {
    GradientTape own;
    const Tensor value = self->scale_loss(to_tensor(loss()));
    if (PyCallable_Check(list.ptr()) != 0) list = list();
    const std::vector<Variable> variables = to_variables(list, "minimize");
    apply(self, own.gradient(value, variables), variables);
    return;
  }
  if (tape.is_none())
    throw nb::value_error("minimize: a loss that is a tensor needs the tape that saw it.");
  if (&self->core() != self.get())
    throw nb::value_error(
        "minimize: the optimizer scales the loss, so that it must be a function without "
        "arguments.");
  if (PyCallable_Check(list.ptr()) != 0) list = list();
  apply(self, to_gradients(tape.attr("gradient")(loss, list)), to_variables(list, "minimize"));
}

nb::object learning_rate(const OptimizerImpl& self) {
  const OptimizerImpl& core = self.core();
  if (!core.options().learning_rate.is_schedule()) return nb::cast(core.variables()[1]);
  return wrap(Tensor(Number(self.learning_rate()), float32));
}

void set_learning_rate(OptimizerImpl& self, nb::handle value) {
  const LearningRate rate = to_learning_rate(value);
  if (rate.is_schedule())
    throw nb::value_error("learning_rate: a schedule is given when the optimizer is made.");
  self.set_learning_rate(rate.number());
}

template <class Options>
std::vector<Field> with_common(std::vector<Field> fields, bool with_decay = true) {
  if (with_decay) fields.push_back(field("weight_decay", &Options::weight_decay));
  fields.push_back(field("clipnorm", &Options::clipnorm));
  fields.push_back(field("clipvalue", &Options::clipvalue));
  fields.push_back(field("global_clipnorm", &Options::global_clipnorm));
  fields.push_back(field("use_ema", &Options::use_ema));
  fields.push_back(field("ema_momentum", &Options::ema_momentum));
  fields.push_back(field("ema_overwrite_frequency", &Options::ema_overwrite_frequency));
  fields.push_back(field("loss_scale_factor", &Options::loss_scale_factor));
  fields.push_back(field("gradient_accumulation_steps", &Options::gradient_accumulation_steps));
  fields.push_back(field("name", &Options::name));
  fields.push_back(keyword(missing("jit_compile")));
  return fields;
}

template <class Impl>
void def_optimizer(nb::module_& m, const char* name, const char* doc, std::vector<Field> fields) {
  def_configured<Impl, OptimizerImpl>(m, name, doc, std::move(fields));
}

template <class Options>
Field rate_field() {
  return field("learning_rate", &Options::learning_rate);
}

void bind_classes(nb::module_& m) {
  using Sgd = SGDImpl::Options;
  def_optimizer<SGDImpl>(m, "SGD", "Gradient descent: w -= rate * g, with momentum if asked for.",
                         with_common<Sgd>({rate_field<Sgd>(), field("momentum", &Sgd::momentum),
                                           field("nesterov", &Sgd::nesterov)}));
  using Rms = RMSpropImpl::Options;
  def_optimizer<RMSpropImpl>(
      m, "RMSprop", "Divides a gradient by the root of a moving average of its square.",
      with_common<Rms>({rate_field<Rms>(), field("rho", &Rms::rho),
                        field("momentum", &Rms::momentum), field("epsilon", &Rms::epsilon),
                        field("centered", &Rms::centered)}));
  using A = AdamImpl::Options;
  def_optimizer<AdamImpl>(
      m, "Adam", "Moving averages of the gradient and of its square.",
      with_common<A>({rate_field<A>(), field("beta_1", &A::beta_1), field("beta_2", &A::beta_2),
                      field("epsilon", &A::epsilon), field("amsgrad", &A::amsgrad)}));
  using W = AdamWImpl::Options;
  def_optimizer<AdamWImpl>(
      m, "AdamW", "Adam with weight decay.",
      with_common<W>({rate_field<W>(), field("weight_decay", &W::weight_decay),
                      field("beta_1", &W::beta_1), field("beta_2", &W::beta_2),
                      field("epsilon", &W::epsilon), field("amsgrad", &W::amsgrad)},
                     false));
  using Delta = AdadeltaImpl::Options;
  def_optimizer<AdadeltaImpl>(
      m, "Adadelta", "Steps as large as those before, over gradients as large as those before.",
      with_common<Delta>(
          {rate_field<Delta>(), field("rho", &Delta::rho), field("epsilon", &Delta::epsilon)}));
  using Grad = AdagradImpl::Options;
  def_optimizer<AdagradImpl>(
      m, "Adagrad", "Divides a gradient by the root of the sum of its squares so far.",
      with_common<Grad>({rate_field<Grad>(),
                         field("initial_accumulator_value", &Grad::initial_accumulator_value),
                         field("epsilon", &Grad::epsilon)}));
  using Max = AdamaxImpl::Options;
  def_optimizer<AdamaxImpl>(
      m, "Adamax", "Adam with the largest size of a gradient in place of the average of squares.",
      with_common<Max>({rate_field<Max>(), field("beta_1", &Max::beta_1),
                        field("beta_2", &Max::beta_2), field("epsilon", &Max::epsilon)}));
  using N = NadamImpl::Options;
  def_optimizer<NadamImpl>(
      m, "Nadam", "Adam with Nesterov's look ahead.",
      with_common<N>({rate_field<N>(), field("beta_1", &N::beta_1), field("beta_2", &N::beta_2),
                      field("epsilon", &N::epsilon)}));
  using F = FtrlImpl::Options;
  def_optimizer<FtrlImpl>(
      m, "Ftrl", "Follow the regularised leader.",
      with_common<F>(
          {rate_field<F>(), field("learning_rate_power", &F::learning_rate_power),
           field("initial_accumulator_value", &F::initial_accumulator_value),
           field("l1_regularization_strength", &F::l1_regularization_strength),
           field("l2_regularization_strength", &F::l2_regularization_strength),
           field("l2_shrinkage_regularization_strength", &F::l2_shrinkage_regularization_strength),
           field("beta", &F::beta)}));
  using L = LionImpl::Options;
  def_optimizer<LionImpl>(
      m, "Lion", "Steps of one size, by the sign of an average of gradients.",
      with_common<L>({rate_field<L>(), field("beta_1", &L::beta_1), field("beta_2", &L::beta_2)}));
}

// Schedules

template <class Options, Schedule (*kMake)(const Options&)>
struct MadeSchedule : Schedule {
  explicit MadeSchedule(const Options& options) : Schedule(kMake(options)), options(options) {}
  Options options;
};

template <class Options, Schedule (*kMake)(const Options&)>
void def_schedule(nb::module_& m, const char* name, const char* doc, std::vector<Field> fields) {
  static const Table table(name, std::move(fields));
  static const Options defaults{};
  static const std::string signature = table.signature(&defaults);
  using Type = MadeSchedule<Options, kMake>;
  nb::class_<Type, Schedule>(m, name, doc)
      .def(
          "__init__",
          [](Type* self, const nb::args& args, const nb::kwargs& kwargs) {
            Options options;
            nb::object kept;
            table.read(&options, args, kwargs, kept);
            new (self) Type(options);
          },
          nb::sig(signature.c_str()))
      .def("get_config", [](const Type& self) {
        nb::dict config;
        table.show(&self.options, nb::handle(), config);
        return config;
      });
}

void bind_schedules(nb::module_& m) {
  namespace s = schedules;
  nb::class_<Schedule>(m, "LearningRateSchedule", nb::dynamic_attr(),
                       "A learning rate that depends on the step. Classes of one's own override "
                       "`__call__(step)`.")
      .def(nb::init<>())
      .def(
          "__call__",
          [](const Schedule& self, nb::handle step) {
            require<UnimplementedError>(self.given(), "LearningRateSchedule: override __call__.");
            const int64_t number = cast(to_tensor(step), int64).item<int64_t>();
            return wrap(Tensor(Number(self(number)), float32));
          },
          "step"_a)
      .def("get_config", [](nb::handle) { return nb::dict(); });
  using E = s::ExponentialDecayOptions;
  def_schedule<E, s::ExponentialDecay>(
      m, "ExponentialDecay", "initial * decay_rate ^ (step / decay_steps)",
      {needed("initial_learning_rate", &E::initial_learning_rate),
       needed("decay_steps", &E::decay_steps), needed("decay_rate", &E::decay_rate),
       field("staircase", &E::staircase), field("name", &E::name)});
  using P = s::PiecewiseConstantDecayOptions;
  def_schedule<P, s::PiecewiseConstantDecay>(
      m, "PiecewiseConstantDecay", "values[i] up to and including step boundaries[i].",
      {needed("boundaries", &P::boundaries), needed("values", &P::values),
       field("name", &P::name)});
  using Poly = s::PolynomialDecayOptions;
  def_schedule<Poly, s::PolynomialDecay>(
      m, "PolynomialDecay", "(initial - end) * (1 - step / decay_steps) ^ power + end",
      {needed("initial_learning_rate", &Poly::initial_learning_rate),
       needed("decay_steps", &Poly::decay_steps),
       field("end_learning_rate", &Poly::end_learning_rate), field("power", &Poly::power),
       field("cycle", &Poly::cycle), field("name", &Poly::name)});
  using I = s::InverseTimeDecayOptions;
  def_schedule<I, s::InverseTimeDecay>(
      m, "InverseTimeDecay", "initial / (1 + decay_rate * step / decay_steps)",
      {needed("initial_learning_rate", &I::initial_learning_rate),
       needed("decay_steps", &I::decay_steps), needed("decay_rate", &I::decay_rate),
       field("staircase", &I::staircase), field("name", &I::name)});
  using C = s::CosineDecayOptions;
  def_schedule<C, s::CosineDecay>(
      m, "CosineDecay", "Half a cosine from the initial rate down to alpha times it.",
      {needed("initial_learning_rate", &C::initial_learning_rate),
       needed("decay_steps", &C::decay_steps), field("alpha", &C::alpha), field("name", &C::name),
       field("warmup_target", &C::warmup_target), field("warmup_steps", &C::warmup_steps)});
  using R = s::CosineDecayRestartsOptions;
  def_schedule<R, s::CosineDecayRestarts>(
      m, "CosineDecayRestarts", "Cosine decays one after another.",
      {needed("initial_learning_rate", &R::initial_learning_rate),
       needed("first_decay_steps", &R::first_decay_steps), field("t_mul", &R::t_mul),
       field("m_mul", &R::m_mul), field("alpha", &R::alpha), field("name", &R::name)});
}

}  // namespace

void bind_keras_optimizers(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("optimizers", "What makes variables better, step by step.");
  nb::class_<OptimizerImpl>(
      m, "Optimizer", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "What makes variables better, step by step. Optimizers cannot be written in Python yet.\n\n"
      ">>> w = tf.Variable(1.0)\n"
      ">>> tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), w)])\n"
      ">>> w.numpy()\nnp.float32(0.5)")
      .def(
          "__init__",
          [](OptimizerImpl*, const nb::args&, const nb::kwargs&) {
            throw UnimplementedError(
                "Optimizer: optimizers cannot be written in Python. Use one of "
                "tf.keras.optimizers, or update variables yourself in a train_step.");
          },
          "args"_a, "kwargs"_a)
      .def("apply_gradients", &apply_gradients, "grads_and_vars"_a, "name"_a = nb::none(),
           "One step: changes the variables by their gradients, given as pairs.")
      .def("apply", &apply_lists, "grads"_a, "trainable_variables"_a = nb::none(),
           "One step: changes the variables by their gradients.")
      .def("minimize", &minimize, "loss"_a, "var_list"_a, "tape"_a = nb::none(),
           "name"_a = nb::none(), "One step down a loss.")
      .def(
          "scale_loss",
          [](const OptimizerImpl& self, nb::handle loss) {
            return wrap(self.scale_loss(to_tensor(loss)));
          },
          "loss"_a, "What gradients are to be taken of, where the optimizer scales the loss.")
      .def(
          "build",
          [](OptimizerImpl& self, nb::handle list) { self.build(to_variables(list, "build")); },
          "variables"_a, "Makes what is kept for these variables.")
      .def(
          "exclude_from_weight_decay",
          [](OptimizerImpl& self, nb::handle var_list, nb::handle var_names) {
            ExcludeOptions options;
            if (!var_list.is_none()) options.var_list = to_variables(var_list, "weight_decay");
            if (!var_names.is_none())
              options.var_names = nb::cast<std::vector<std::string>>(var_names);
            self.exclude_from_weight_decay(options);
          },
          "var_list"_a = nb::none(), "var_names"_a = nb::none(), "These don't decay.")
      .def(
          "finalize_variable_values",
          [](OptimizerImpl& self, nb::handle list) {
            self.finalize_variable_values(to_variables(list, "finalize_variable_values"));
          },
          "var_list"_a, "With use_ema: variables become their moving averages.")
      .def_prop_ro("built", &OptimizerImpl::built)
      .def_prop_ro("name", &OptimizerImpl::name)
      .def_prop_ro("iterations",
                   [](const OptimizerImpl& self) { return nb::cast(self.iterations()); })
      .def_prop_rw("learning_rate", &learning_rate, &set_learning_rate)
      .def_prop_rw("lr", &learning_rate, &set_learning_rate)
      .def_prop_ro("variables",
                   [](const OptimizerImpl& self) {
                     nb::list list;
                     for (const Variable& variable : self.variables())
                       list.append(object_of(variable));
                     return list;
                   })
      .def("get_config",
           [](nb::handle self) {
             nb::dict config;
             config.attr("update")(nb::getattr(self, "_config", nb::dict()));
             const auto& optimizer = *nb::inst_ptr<OptimizerImpl>(self);
             config["name"] = optimizer.name();
             if (!optimizer.options().learning_rate.is_schedule())
               config["learning_rate"] = optimizer.learning_rate();
             return config;
           })
      .def("__getattr__", [](nb::handle self, const std::string& name) -> nb::object {
        if (!name.starts_with("_")) {
          const nb::object config = nb::getattr(self, "_config", nb::dict());
          if (nb::cast<nb::dict>(config).contains(name.c_str())) return config[name.c_str()];
        }
        throw nb::attribute_error(
            fmt::format("'{}' object has no attribute '{}'", class_name_of(self), name).c_str());
      });
  m.def(
      "_of", [](const std::string& word) { return Optimizer(word).impl().shared_from_this(); },
      "The optimizer of a word.");
  bind_classes(m);
  bind_schedules(m);
}

}  // namespace alula::python
