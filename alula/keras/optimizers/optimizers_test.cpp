#include "alula/keras/optimizers/optimizers.h"

#include <map>

#include "alula/core/log.h"
#include "alula/graph/function.h"
#include "alula/keras/reference_test.h"
#include "alula/keras/words.h"
#include "alula/ops/fill.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::optimizers;
using alula::testing::Array;
using alula::testing::expect_equal;
using alula::testing::to_array;
using keras::reference::Case;
using keras::reference::expect_near;

namespace {

Schedule schedule_of(const Case& c) {
  const double initial = c.number("initial_learning_rate", 0), steps = c.number("decay_steps", 0);
  if (c.kind == "ExponentialDecay")
    return schedules::ExponentialDecay(
        {initial, steps, c.number("decay_rate", 0), c.flag("staircase")});
  if (c.kind == "InverseTimeDecay")
    return schedules::InverseTimeDecay(
        {initial, steps, c.number("decay_rate", 0), c.flag("staircase")});
  if (c.kind == "PolynomialDecay")
    return schedules::PolynomialDecay(
        {initial, steps, c.number("end_learning_rate", 0), c.number("power", 1), c.flag("cycle")});
  if (c.kind == "CosineDecay") {
    schedules::CosineDecayOptions options{initial, steps, c.number("alpha", 0)};
    if (c.has("warmup_target")) options.warmup_target = c.number("warmup_target", 0);
    options.warmup_steps = c.number("warmup_steps", 0);
    return schedules::CosineDecay(options);
  }
  if (c.kind == "CosineDecayRestarts")
    return schedules::CosineDecayRestarts({initial, c.number("first_decay_steps", 0),
                                           c.number("t_mul", 2), c.number("m_mul", 1),
                                           c.number("alpha", 0)});
  schedules::PiecewiseConstantDecayOptions options;
  for (const io::Json& x : c.config.at("boundaries").as_array())
    options.boundaries.push_back(x.as_number());
  for (const io::Json& x : c.config.at("values").as_array())
    options.values.push_back(x.as_number());
  return schedules::PiecewiseConstantDecay(options);
}

/// Sets what all optimizers have, where the case says so.
template <class Options>
Options common(const Case& c, Options options) {
  if (c.has("learning_rate")) {
    const io::Json& rate = c.config.at("learning_rate");
    if (rate.is_string())
      options.learning_rate = schedules::ExponentialDecay({0.1, 5, 0.5});
    else
      options.learning_rate = rate.as_number();
  }
  const auto set = [&](const char* name, Setting<double>& setting) {
    if (c.has(name)) setting = c.number(name, 0);
  };
  set("weight_decay", options.weight_decay);
  set("clipnorm", options.clipnorm);
  set("clipvalue", options.clipvalue);
  set("global_clipnorm", options.global_clipnorm);
  set("loss_scale_factor", options.loss_scale_factor);
  options.use_ema = c.flag("use_ema");
  options.ema_momentum = c.number("ema_momentum", options.ema_momentum);
  if (c.has("ema_overwrite_frequency"))
    options.ema_overwrite_frequency = c.config.at("ema_overwrite_frequency").as_integer();
  if (c.has("gradient_accumulation_steps"))
    options.gradient_accumulation_steps = c.config.at("gradient_accumulation_steps").as_integer();
  return options;
}

template <class O>
Optimizer adam_like(const Case& c) {
  typename O::Options options;
  options.beta_1 = c.number("beta_1", options.beta_1);
  options.beta_2 = c.number("beta_2", options.beta_2);
  options.epsilon = c.number("epsilon", options.epsilon);
  if constexpr (requires { options.amsgrad; }) options.amsgrad = c.flag("amsgrad");
  return O(common(c, options));
}

Optimizer optimizer_of(const Case& c) {
  if (c.kind == "SGD")
    return SGD(common(
        c, SGD::Options{.momentum = c.number("momentum", 0), .nesterov = c.flag("nesterov")}));
  if (c.kind == "RMSprop")
    return RMSprop(common(c, RMSprop::Options{.rho = c.number("rho", 0.9),
                                              .momentum = c.number("momentum", 0),
                                              .epsilon = c.number("epsilon", 1e-7),
                                              .centered = c.flag("centered")}));
  if (c.kind == "Adam") return adam_like<Adam>(c);
  if (c.kind == "AdamW") return adam_like<AdamW>(c);
  if (c.kind == "Adamax") return adam_like<Adamax>(c);
  if (c.kind == "Nadam") return adam_like<Nadam>(c);
  if (c.kind == "Adagrad")
    return Adagrad(common(c, Adagrad::Options{.initial_accumulator_value =
                                                  c.number("initial_accumulator_value", 0.1)}));
  if (c.kind == "Adadelta") return Adadelta(common(c, Adadelta::Options{}));
  if (c.kind == "Lion") return Lion(common(c, Lion::Options{}));
  EXPECT_EQ(c.kind, "Ftrl");
  Ftrl::Options options;
  options.learning_rate_power = c.number("learning_rate_power", -0.5);
  options.l1_regularization_strength = c.number("l1_regularization_strength", 0);
  options.l2_regularization_strength = c.number("l2_regularization_strength", 0);
  options.l2_shrinkage_regularization_strength =
      c.number("l2_shrinkage_regularization_strength", 0);
  options.beta = c.number("beta", 0);
  return Ftrl(common(c, options));
}

std::vector<Variable> two_variables() {
  return {Variable({{1.f, 2.f}, {3.f, 4.f}}, {.name = "kernel"}),
          Variable({1.f, -1.f}, {.name = "bias"})};
}

std::vector<Tensor> two_gradients() { return {{{1.f, 1.f}, {1.f, 1.f}}, {2.f, 2.f}}; }

std::vector<std::string> names_of(const Optimizer& optimizer) {
  std::vector<std::string> names;
  for (const Variable& variable : optimizer.variables()) names.push_back(variable.name());
  return names;
}

/// Makes the steps of a case, and compares with what Keras's steps gave.
template <class MakeStep>
void run(const reference::File& file, const Case& c, const MakeStep& make_step) {
  const Optimizer optimizer = optimizer_of(c);
  std::vector<Variable> variables;
  for (const char* name : {"kernel", "bias"})
    variables.emplace_back(file.at(std::string("start/") + name), VariableOptions{.name = name});
  const auto apply = make_step(optimizer, variables);
  for (int step = 0; step < 5; ++step) {
    SCOPED_TRACE(step);
    const std::string given = "gradient/" + std::to_string(step) + "/";
    apply(file.at(given + "kernel"), file.at(given + "bias"));
    const std::string prefix = c.key + "/" + std::to_string(step) + "/";
    for (const Variable& variable : variables)
      expect_near(variable.value(), file.at(prefix + variable.name()), 2e-6);
    for (const Variable& slot : optimizer.variables()) {
      const Tensor expected = file.find(prefix + "slot/" + slot.name());
      if (expected.defined()) expect_near(slot.value(), expected, 2e-6);
    }
  }
  EXPECT_EQ(optimizer.iterations().value().item<int64_t>(), 5);
}

}  // namespace

TEST(Optimizers, StepAsThoseOfKeras) {
  const reference::File file("optimizers.safetensors");
  ASSERT_GT(file.cases().size(), 100u);
  for (const Case& c : file.cases()) {
    if (c.key.starts_with("schedule/")) continue;
    SCOPED_TRACE(c.key);
    run(file, c, [](const Optimizer& optimizer, const std::vector<Variable>& variables) {
      return [=](const Tensor& kernel, const Tensor& bias) {
        optimizer.apply_gradients(zip({kernel, bias}, variables));
      };
    });
  }
}

// The same, in a function that is traced once.
TEST(Optimizers, StepAsThoseOfKerasCompiled) {
  const reference::File file("optimizers.safetensors");
  for (const Case& c : file.cases()) {
    if (c.key.starts_with("schedule/")) continue;
    SCOPED_TRACE(c.key);
    run(file, c, [](const Optimizer& optimizer, const std::vector<Variable>& variables) {
      return function([=](const Tensor& kernel, const Tensor& bias) {
        optimizer.apply_gradients(zip({kernel, bias}, variables));
      });
    });
  }
}

TEST(Optimizers, SchedulesAreThoseOfKeras) {
  const reference::File file("optimizers.safetensors");
  int schedules = 0;
  for (const Case& c : file.cases()) {
    if (!c.key.starts_with("schedule/")) continue;
    SCOPED_TRACE(c.key);
    ++schedules;
    const Schedule schedule = schedule_of(c);
    EXPECT_EQ(schedule.name(), c.config.at("name").as_string());
    const std::vector<float> expected = file.at(c.key).to_vector<float>();
    for (size_t step = 0; step < expected.size(); ++step)
      EXPECT_NEAR(schedule(static_cast<int64_t>(step)), expected[step], 1e-6) << step;
  }
  EXPECT_GT(schedules, 10);
}

TEST(Optimizers, ComeByWords) {
  forget_names();
  EXPECT_EQ(Optimizer("adam").name(), "adam");
  EXPECT_EQ(Optimizer("Adam").name(), "adam_1");
  EXPECT_EQ(Optimizer(std::string("RMSprop")).name(), "rm_sprop");
  EXPECT_EQ(Optimizer("adamw").name(), "adam_w");
  EXPECT_EQ(SGD({.name = "mine"}).name(), "mine");
  EXPECT_ERROR(Optimizer("adamm"), InvalidArgumentError,
               "optimizer: there is no \"adamm\". Did you mean \"adam\", \"adamw\" or \"adamax\"?");
}

TEST(Optimizers, KeepVariablesInKerasOrder) {
  const auto after_build = [](const Optimizer& optimizer) {
    optimizer.build(two_variables());
    return names_of(optimizer);
  };
  EXPECT_EQ(after_build("adam"),
            (std::vector<std::string>{"iteration", "learning_rate", "kernel_momentum",
                                      "kernel_velocity", "bias_momentum", "bias_velocity"}));
  EXPECT_EQ(after_build(RMSprop({.momentum = 0.5, .use_ema = true})),
            (std::vector<std::string>{"iteration", "learning_rate", "kernel_average",
                                      "bias_average", "kernel_velocity", "bias_velocity",
                                      "kernel_momentum", "bias_momentum"}));
  EXPECT_EQ(after_build(SGD({.learning_rate = [](int64_t) { return 0.5; }})),
            (std::vector<std::string>{"iteration"}));
}

TEST(Optimizers, WriteVariablesInPlace) {
  const Optimizer optimizer = "adam";
  std::vector<Variable> variables = two_variables();
  optimizer.apply(two_gradients(), variables);
  const void* place = variables[0].storage().data();
  optimizer.apply(two_gradients(), variables);
  EXPECT_EQ(variables[0].storage().data(), place);
  const Tensor before = variables[0].value();
  const std::vector<float> values = before.to_vector<float>();
  optimizer.apply(two_gradients(), variables);  // someone holds the value: it stays
  EXPECT_EQ(before.to_vector<float>(), values);
  EXPECT_NE(variables[0].value().to_vector<float>(), values);
}

TEST(Optimizers, TakeVariablesOfAllDTypesAtOnce) {
  for (const char* word : {"adam", "sgd", "rmsprop", "adagrad"}) {
    const Optimizer optimizer = word;
    std::vector<Variable> variables;
    std::vector<Tensor> gradients;
    for (DType dtype : {float32, float64, bfloat16, float32, float16}) {
      variables.emplace_back(constant({1, 2}, dtype));
      gradients.push_back(constant({1, -1}, dtype));
    }
    gradients[1] = constant({1, -1}, float32);  // cast to the variable's
    optimizer.apply(gradients, variables);
    const Array expected = to_array(variables[1]);
    EXPECT_NE(expected.values[0], 1);
    for (const Variable& variable : variables)
      expect_equal(variable, expected, variable.dtype(), {.relative = 0.02});
    expect_equal(variables[0], expected, float32, {.relative = 1e-5});
  }
}

TEST(Optimizers, RatesCanBeReadAndSet) {
  const SGD optimizer({.learning_rate = 0.5});
  EXPECT_EQ(optimizer.learning_rate(), 0.5);
  Variable w(Tensor(1.f));
  optimizer.apply({Tensor(1.f)}, {w});
  optimizer.set_learning_rate(0.25);
  optimizer.apply({Tensor(1.f)}, {w});
  EXPECT_EQ(w.value().item<float>(), 0.25f);
  const SGD scheduled({.learning_rate = [](int64_t step) { return step == 0 ? 0.5 : 0.125; }});
  scheduled.apply({Tensor(1.f)}, {w});
  EXPECT_EQ(scheduled.learning_rate(), 0.125);
  scheduled.apply({Tensor(1.f)}, {w});
  EXPECT_EQ(w.value().item<float>(), -0.375f);
  EXPECT_ERROR(scheduled.set_learning_rate(1), InvalidArgumentError, "follows a schedule");
  EXPECT_ERROR(optimizer.set_learning_rate(-1), InvalidArgumentError, "must not be negative");
}

TEST(Optimizers, LeaveVariablesWithoutGradientAlone) {
  const SGD optimizer({.learning_rate = 1});
  std::vector<Variable> variables = two_variables();
  std::vector<std::string> messages;
  const auto before = logging::set_handler(
      [&](logging::Level, std::string_view text) { messages.emplace_back(text); });
  for (int i = 0; i < 2; ++i) optimizer.apply({two_gradients()[0], Tensor()}, variables);
  logging::set_handler(before);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("no gradient for the variable 'bias'"), std::string::npos);
  EXPECT_EQ(variables[1].value().to_vector<float>(), (std::vector<float>{1, -1}));
  EXPECT_EQ(variables[0].value().to_vector<float>(), (std::vector<float>{-1, 0, 1, 2}));
  EXPECT_ERROR(optimizer.apply({Tensor(), Tensor()}, variables), InvalidArgumentError,
               "no gradient for any variable. Got undefined ones for 'kernel', 'bias'");
}

TEST(Optimizers, SomeVariablesDontDecay) {
  const SGD optimizer({.learning_rate = 1, .weight_decay = 0.5});
  std::vector<Variable> variables = two_variables();
  optimizer.exclude_from_weight_decay({.var_names = {"bias"}});
  const std::vector<Tensor> none = {zeros({2, 2}), zeros({2})};
  optimizer.apply(none, variables);
  EXPECT_EQ(variables[0].value().to_vector<float>(), (std::vector<float>{0.5, 1, 1.5, 2}));
  EXPECT_EQ(variables[1].value().to_vector<float>(), (std::vector<float>{1, -1}));
  EXPECT_ERROR(optimizer.exclude_from_weight_decay({.var_list = {variables[0]}}),
               FailedPreconditionError, "comes too late");
}

// A function may step several times; what the host gives for each step counts those before it.
TEST(Optimizers, SeveralStepsInOneFunction) {
  const auto schedule = [] {
    return schedules::ExponentialDecay(
        {.initial_learning_rate = 0.1, .decay_steps = 1, .decay_rate = 0.5});
  };
  for (int64_t every : {1, 2}) {
    Adam::Options options{.learning_rate = schedule()};
    if (every > 1) options.gradient_accumulation_steps = every;
    const Adam eager(options), compiled(options);
    const std::vector<Variable> expected = two_variables(), variables = two_variables();
    const std::vector<Tensor> gradients = two_gradients();
    const auto thrice = function([&](const Tensor& scale) {
      for (int i = 0; i < 3; ++i)
        compiled.apply({gradients[0] * scale, gradients[1] * (scale + i)}, variables);
    });
    for (int call = 0; call < 3; ++call) {
      const Tensor scale(static_cast<float>(call + 1));
      thrice(scale);
      for (int i = 0; i < 3; ++i)
        eager.apply({gradients[0] * scale, gradients[1] * (scale + i)}, expected);
    }
    EXPECT_EQ(compiled.iterations().value().item<int64_t>(), 9);
    for (size_t i = 0; i < variables.size(); ++i)
      EXPECT_EQ(variables[i].value().to_vector<float>(), expected[i].value().to_vector<float>());
  }
  const Optimizer nadam = "nadam";
  std::vector<Variable> variables = two_variables();
  const auto twice = function([&](const Tensor& scale) {
    for (int i = 0; i < 2; ++i)
      nadam.apply({two_gradients()[0] * scale, two_gradients()[1] * scale}, variables);
  });
  EXPECT_ERROR(twice(Tensor(1.f)), UnimplementedError, "only contain one step");
}

TEST(Optimizers, WithoutAStepThereIsNoAverage) {
  const SGD optimizer({.use_ema = true, .gradient_accumulation_steps = 4});
  Variable w(Tensor(4.f)), idle(Tensor(3.f));
  const auto step = function([&](const Tensor& g) { optimizer.apply({g, Tensor()}, {w, idle}); });
  step(Tensor(1.f));
  optimizer.finalize_variable_values({w, idle});
  EXPECT_EQ(w.value().item<float>(), 4);
  for (int i = 0; i < 3; ++i) step(Tensor(1.f));
  optimizer.finalize_variable_values({w, idle});
  EXPECT_NE(w.value().item<float>(), 4);
  EXPECT_EQ(idle.value().item<float>(), 3);  // it never had a gradient
}

TEST(Optimizers, TheRateIsNotSetInsideOfAFunction) {
  const Optimizer optimizer = "sgd";
  const auto f = function([&](const Tensor& x) {
    optimizer.set_learning_rate(0.5);
    return x;
  });
  EXPECT_ERROR(f(Tensor(1.f)), UnimplementedError, "cannot be set inside of function()");
}

TEST(Optimizers, AveragesBecomeTheVariablesInTheEnd) {
  const SGD optimizer({.learning_rate = 1, .use_ema = true, .ema_momentum = 0.5});
  Variable w(Tensor(4.f));
  optimizer.apply({Tensor(2.f)}, {w});  // 2, average 2
  optimizer.apply({Tensor(2.f)}, {w});  // 0, average 1
  optimizer.finalize_variable_values({w});
  EXPECT_EQ(w.value().item<float>(), 1);
}

namespace {

struct HalvingImpl final : OptimizerImpl {
  struct Options {
    LearningRate learning_rate = 1.0;
  };
  explicit HalvingImpl(const Options& options)
      : OptimizerImpl("Halving", {.learning_rate = options.learning_rate}) {}
  std::vector<Slot> slots() const override { return {{.name = "sum", .initial = 1}}; }
  void rule(ElementUpdate& u) const override {
    u.set_slot(0, u.slot(0) + u.gradient());
    u.set_value(u.value() * 0.5 + u.scalar(0) * u.slot(0));
  }
};
using Halving = OptimizerOf<HalvingImpl>;

}  // namespace

TEST(Optimizers, OnesOwn) {
  const Optimizer optimizer = Halving({.learning_rate = 2});
  Variable w(Tensor(4.f));
  optimizer.apply({Tensor(1.f)}, {w});
  EXPECT_EQ(w.value().item<float>(), 6);
  optimizer.apply({Tensor(1.f)}, {w});
  EXPECT_EQ(w.value().item<float>(), 9);
}

TEST(Optimizers, ChangeNothingOnAnError) {
  const Optimizer optimizer = "adam";
  std::vector<Variable> variables = two_variables();
  optimizer.apply(two_gradients(), variables);
  const std::vector<float> before = variables[0].value().to_vector<float>();
  EXPECT_ERROR(optimizer.apply({two_gradients()[0], {1.f, 2.f, 3.f}}, variables),
               InvalidArgumentError,
               "the gradient of the variable 'bias' must be float32[2]. Got float32[3]");
  EXPECT_ERROR(optimizer.apply({two_gradients()[0]}, variables), InvalidArgumentError,
               "as many gradients as variables. Got 1 and 2");
  EXPECT_ERROR(optimizer.apply({Tensor(1.f)}, {Variable(Tensor(1.f), {.name = "new"})}),
               InvalidArgumentError, "the variable 'new' is not one of the 2");
  EXPECT_EQ(variables[0].value().to_vector<float>(), before);
  EXPECT_EQ(optimizer.iterations().value().item<int64_t>(), 1);
}

TEST(Optimizers, SayWhatTheyWanted) {
  EXPECT_ERROR(SGD({.momentum = 2}), InvalidArgumentError, "momentum must be in [0, 1]. Got 2");
  EXPECT_ERROR(Adam({.beta_1 = 1}), InvalidArgumentError, "beta_1 must be in [0, 1). Got 1");
  EXPECT_ERROR(RMSprop({.rho = -1}), InvalidArgumentError, "rho must be in [0, 1)");
  EXPECT_ERROR(SGD({.learning_rate = -1}), InvalidArgumentError, "must not be negative");
  EXPECT_ERROR(SGD({.clipnorm = 1, .clipvalue = 1}), InvalidArgumentError, "only one of clipnorm");
  EXPECT_ERROR(SGD({.clipvalue = -1}), InvalidArgumentError, "clipvalue must be greater than 0");
  EXPECT_ERROR(SGD({.weight_decay = -1}), InvalidArgumentError, "weight_decay must not be");
  EXPECT_ERROR(SGD({.use_ema = true, .ema_momentum = 2}), InvalidArgumentError, "ema_momentum");
  EXPECT_ERROR(SGD({.ema_overwrite_frequency = 0}), InvalidArgumentError, "at least 1");
  EXPECT_ERROR(SGD({.gradient_accumulation_steps = 1}), InvalidArgumentError, "at least 2");
  EXPECT_ERROR(Adagrad({.initial_accumulator_value = -1}), InvalidArgumentError, "negative");
  EXPECT_ERROR(Ftrl({.learning_rate_power = 1}), InvalidArgumentError, "learning_rate_power");
  EXPECT_ERROR(Ftrl({.l1_regularization_strength = -1}), InvalidArgumentError, "strengths");
  EXPECT_ERROR(SGD().build({Variable({1, 2}, {.name = "i"})}), InvalidArgumentError,
               "the variable 'i' cannot be trained: it is int32[2]");
  const Variable w(Tensor(1.f), {.name = "w"});
  EXPECT_ERROR(SGD().build({w, w}), InvalidArgumentError, "'w' was given twice");
  EXPECT_ERROR(Optimizer().name(), FailedPreconditionError, "no optimizer is set");
  EXPECT_ERROR(zip({Tensor(1.f)}, {}), InvalidArgumentError, "as many gradients as variables");
  EXPECT_ERROR(schedules::ExponentialDecay({.decay_steps = 0}), InvalidArgumentError,
               "decay_steps must be greater than 0");
  EXPECT_ERROR(schedules::PiecewiseConstantDecay({.boundaries = {1}, .values = {1}}),
               InvalidArgumentError, "one value more than boundaries");
  EXPECT_ERROR(schedules::PiecewiseConstantDecay({.boundaries = {2, 1}, .values = {1, 2, 3}}),
               InvalidArgumentError, "must increase");
  EXPECT_ERROR(schedules::CosineDecayRestarts({.first_decay_steps = 4, .t_mul = 0.5}),
               InvalidArgumentError, "t_mul must be at least 1");
}
