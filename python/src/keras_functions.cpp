#include "python/src/keras_layer.h"
#include "python/src/ops.h"

/// Initializers, regularizers and activations.
namespace alula::python {
namespace {

using namespace alula::keras;

nb::object call_initializer(const Initializer& self, nb::handle shape, nb::handle dtype,
                            const nb::kwargs&) {
  return wrap(self(to_shape(shape), dtype.is_none() ? float32 : to_dtype(dtype)));
}

/// A class of initializers: `kTag` makes each one a class of its own.
template <int kTag, class Options>
struct Made : Initializer {
  Made(Initializer made, const Options& options) : Initializer(std::move(made)), options(options) {}
  Options options;
};

template <int kTag, class Options>
void def_initializer(nb::module_& m, const char* name, const char* doc,
                     Initializer (*make)(const Options&), std::vector<Field> fields) {
  static const Table table(name, std::move(fields));
  static Initializer (*const kMake)(const Options&) = make;
  static const Options defaults{};
  static const std::string signature = table.signature(&defaults);
  using Type = Made<kTag, Options>;
  nb::class_<Type, Initializer>(m, name, doc)
      .def(
          "__init__",
          [](Type* self, const nb::args& args, const nb::kwargs& kwargs) {
            Options options;
            nb::object kept;
            table.read(&options, args, kwargs, kept);
            new (self) Type(kMake(options), options);
          },
          nb::sig(signature.c_str()))
      .def("get_config", [](const Type& self) {
        nb::dict config;
        table.show(&self.options, nb::handle(), config);
        return config;
      });
}

struct ValueOptions {
  double value = 0;
};
struct GainOptions {
  double gain = 1;
};
struct NoOptions {};

void bind_initializers(nb::module_& m) {
  namespace init = keras::initializers;
  nb::class_<Initializer>(m, "Initializer", nb::dynamic_attr(),
                          "Makes the first value of a weight. Classes of one's own override "
                          "`__call__(shape, dtype)`.")
      .def(nb::init<>())
      .def("__call__", &call_initializer, "shape"_a, "dtype"_a = nb::none(), "kwargs"_a)
      .def("get_config", [](nb::handle) { return nb::dict(); });
  def_initializer<0, NoOptions>(m, "Zeros", "Zeros.",
                                [](const NoOptions&) { return init::Zeros(); }, {});
  def_initializer<1, NoOptions>(m, "Ones", "Ones.", [](const NoOptions&) { return init::Ones(); },
                                {});
  def_initializer<2, ValueOptions>(
      m, "Constant", "The same value everywhere.",
      [](const ValueOptions& options) { return init::Constant(options.value); },
      {field("value", &ValueOptions::value)});
  def_initializer<3, GainOptions>(
      m, "Identity", "The identity matrix, times `gain`.",
      [](const GainOptions& options) { return init::Identity(options.gain); },
      {field("gain", &GainOptions::gain)});
  const auto normal = [] {
    using O = init::RandomNormalOptions;
    return std::vector<Field>{field("mean", &O::mean), field("stddev", &O::stddev),
                              field("seed", &O::seed)};
  };
  def_initializer<4, init::RandomNormalOptions>(m, "RandomNormal", "Normal numbers.",
                                                init::RandomNormal, normal());
  def_initializer<5, init::RandomNormalOptions>(m, "TruncatedNormal",
                                                "Normal numbers within two standard deviations.",
                                                init::TruncatedNormal, normal());
  using Uniform = init::RandomUniformOptions;
  def_initializer<6, Uniform>(m, "RandomUniform", "Numbers between two bounds.",
                              init::RandomUniform,
                              {field("minval", &Uniform::minval), field("maxval", &Uniform::maxval),
                               field("seed", &Uniform::seed)});
  using Scaling = init::VarianceScalingOptions;
  def_initializer<7, Scaling>(
      m, "VarianceScaling", "Of a spread that suits the number of inputs or outputs of the weight.",
      init::VarianceScaling,
      {field("scale", &Scaling::scale), field("mode", &Scaling::mode),
       field("distribution", &Scaling::distribution), field("seed", &Scaling::seed)});
  const auto seed = [] { return std::vector<Field>{field("seed", &init::SeedOptions::seed)}; };
  def_initializer<8, init::SeedOptions>(m, "GlorotUniform", "Uniform, by inputs and outputs.",
                                        init::GlorotUniform, seed());
  def_initializer<9, init::SeedOptions>(m, "GlorotNormal", "Normal, by inputs and outputs.",
                                        init::GlorotNormal, seed());
  def_initializer<10, init::SeedOptions>(m, "HeUniform", "Uniform, by inputs, for ReLU.",
                                         init::HeUniform, seed());
  def_initializer<11, init::SeedOptions>(m, "HeNormal", "Normal, by inputs, for ReLU.",
                                         init::HeNormal, seed());
  def_initializer<12, init::SeedOptions>(m, "LecunUniform", "Uniform, by inputs.",
                                         init::LecunUniform, seed());
  def_initializer<13, init::SeedOptions>(m, "LecunNormal", "Normal, by inputs.", init::LecunNormal,
                                         seed());
  using Orthogonal = init::OrthogonalOptions;
  def_initializer<14, Orthogonal>(
      m, "Orthogonal", "Rows that are orthogonal to each other and of length `gain`.",
      init::Orthogonal, {field("gain", &Orthogonal::gain), field("seed", &Orthogonal::seed)});
  m.def(
      "_initializer_of", [](const std::string& word) { return Initializer(word); },
      "The initializer of a word.");
}

struct L1Object : Regularizer {
  explicit L1Object(double l1, double l2, Regularizer made)
      : Regularizer(std::move(made)), l1(l1), l2(l2) {}
  double l1, l2;
};
struct L2Object : L1Object {
  using L1Object::L1Object;
};
struct L1L2Object : L1Object {
  using L1Object::L1Object;
};

void bind_regularizers(nb::module_& m) {
  nb::class_<Regularizer>(m, "Regularizer", nb::dynamic_attr(),
                          "A penalty on a weight. Classes of one's own override `__call__(x)`.")
      .def(nb::init<>())
      .def(
          "__call__",
          [](const Regularizer& self, Like x) {
            require<UnimplementedError>(self.given(), "regularizer: override __call__(x).");
            return wrap(self(x.tensor()));
          },
          "x"_a)
      .def("get_config", [](nb::handle) { return nb::dict(); });
  nb::class_<L1Object, Regularizer>(m, "L1", "l1 * sum(|w|)")
      .def(
          "__init__",
          [](L1Object* self, double l1) { new (self) L1Object(l1, 0, regularizers::L1(l1)); },
          "l1"_a = 0.01)
      .def_ro("l1", &L1Object::l1)
      .def("get_config", [](const L1Object& self) {
        nb::dict config;
        config["l1"] = self.l1;
        return config;
      });
  nb::class_<L2Object, Regularizer>(m, "L2", "l2 * sum(w * w)")
      .def(
          "__init__",
          [](L2Object* self, double l2) { new (self) L2Object(0, l2, regularizers::L2(l2)); },
          "l2"_a = 0.01)
      .def_ro("l2", &L2Object::l2)
      .def("get_config", [](const L2Object& self) {
        nb::dict config;
        config["l2"] = self.l2;
        return config;
      });
  nb::class_<L1L2Object, Regularizer>(m, "L1L2", "l1 * sum(|w|) + l2 * sum(w * w)")
      .def(
          "__init__",
          [](L1L2Object* self, double l1, double l2) {
            new (self) L1L2Object(l1, l2, regularizers::L1L2(l1, l2));
          },
          "l1"_a = 0.0, "l2"_a = 0.0)
      .def_ro("l1", &L1L2Object::l1)
      .def_ro("l2", &L1L2Object::l2)
      .def("get_config", [](const L1L2Object& self) {
        nb::dict config;
        config["l1"] = self.l1;
        config["l2"] = self.l2;
        return config;
      });
  m.def(
      "_regularizer_of", [](const std::string& word) { return Regularizer(word); },
      "The regularizer of a word.");
}

template <Tensor (*kFunction)(const Tensor&)>
void def_activation(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like x) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor), [&] { return kFunction(tensor); });
      },
      "x"_a, doc);
}

template <Tensor (*kFunction)(const Tensor&, int64_t)>
void def_axis_activation(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like x, int64_t axis) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor), [&] { return kFunction(tensor, axis); });
      },
      "x"_a, "axis"_a = -1, doc);
}

template <Tensor (*kFunction)(const Tensor&, double)>
void def_number_activation(nb::module_& m, const char* name, const char* argument, double number,
                           const char* doc) {
  m.def(
      name,
      [](Like x, double value) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor), [&] { return kFunction(tensor, value); });
      },
      "x"_a, nb::arg(argument) = number, doc);
}

void bind_activations(nb::module_& parent) {
  namespace act = keras::activations;
  nb::module_ m = parent.def_submodule("activations", "Functions of each element.");
  m.def(
      "relu",
      [](Like x, double negative_slope, std::optional<double> max_value, double threshold) {
        const Tensor tensor = x.tensor();
        act::ReluOptions options{.negative_slope = negative_slope, .threshold = threshold};
        if (max_value) options.max_value = *max_value;
        return computed(work_of(tensor), [&] { return act::relu(tensor, options); });
      },
      "x"_a, "negative_slope"_a = 0.0, "max_value"_a = nb::none(), "threshold"_a = 0.0,
      "x above the threshold, at most max_value, and negative_slope * (x - threshold) below it.");
  m.def(
      "gelu",
      [](Like x, bool approximate) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor),
                        [&] { return act::gelu(tensor, {.approximate = approximate}); });
      },
      "x"_a, "approximate"_a = false, "x times the normal distribution's share below x.");
  m.def(
      "threshold",
      [](Like x, double threshold, double default_value) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor),
                        [&] { return act::threshold(tensor, threshold, default_value); });
      },
      "x"_a, "threshold"_a, "default_value"_a, "x above the threshold, else the default.");
  def_activation<act::linear>(m, "linear", "x itself.");
  def_activation<act::relu6>(m, "relu6", "x, but at least 0 and at most 6.");
  def_activation<act::selu>(m, "selu", "ELU, scaled so that layers keep mean 0 and variance 1.");
  def_activation<act::silu>(m, "silu", "x * sigmoid(x)");
  def_activation<act::silu>(m, "swish", "x * sigmoid(x)");
  def_activation<act::softplus>(m, "softplus", "log(exp(x) + 1)");
  def_activation<act::softsign>(m, "softsign", "x / (|x| + 1)");
  def_activation<act::sparse_plus>(m, "sparse_plus", "0 below -1, x above 1, a parabola between.");
  def_activation<act::sparse_sigmoid>(m, "sparse_sigmoid",
                                      "0 below -1, 1 above 1, a line between.");
  def_activation<act::tanh>(m, "tanh", "The hyperbolic tangent.");
  def_activation<act::tanh_shrink>(m, "tanh_shrink", "x - tanh(x)");
  def_activation<act::hard_tanh>(m, "hard_tanh", "x, but at least -1 and at most 1.");
  def_activation<act::sigmoid>(m, "sigmoid", "1 / (1 + exp(-x))");
  def_activation<act::log_sigmoid>(m, "log_sigmoid", "log(sigmoid(x))");
  def_activation<act::hard_sigmoid>(m, "hard_sigmoid", "0 below -3, 1 above 3, a line between.");
  def_activation<act::hard_silu>(m, "hard_silu", "x * hard_sigmoid(x)");
  def_activation<act::hard_silu>(m, "hard_swish", "x * hard_sigmoid(x)");
  def_activation<act::exponential>(m, "exponential", "exp(x)");
  def_activation<act::mish>(m, "mish", "x * tanh(softplus(x))");
  def_axis_activation<act::softmax>(m, "softmax", "exp(x) / sum(exp(x)) along an axis.");
  def_axis_activation<act::log_softmax>(m, "log_softmax", "log(softmax(x)) along an axis.");
  def_axis_activation<act::sparsemax>(m, "sparsemax",
                                      "The nearest distribution to x along an axis.");
  def_axis_activation<act::glu>(m, "glu",
                                "The first half along an axis, times the sigmoid of the second.");
  def_number_activation<act::leaky_relu>(m, "leaky_relu", "negative_slope", 0.2,
                                         "x above 0, negative_slope * x below.");
  def_number_activation<act::elu>(m, "elu", "alpha", 1, "x above 0, alpha * (exp(x) - 1) below.");
  def_number_activation<act::celu>(m, "celu", "alpha", 1,
                                   "x above 0, alpha * (exp(x / alpha) - 1) below.");
  def_number_activation<act::soft_shrink>(m, "soft_shrink", "threshold", 0.5,
                                          "x moved towards 0 by the threshold.");
  def_number_activation<act::hard_shrink>(
      m, "hard_shrink", "threshold", 0.5,
      "x where it is further from 0 than the threshold, else 0.");
  def_number_activation<act::squareplus>(m, "squareplus", "b", 4, "(x + sqrt(x * x + b)) / 2");
  m.def(
      "_check", [](const std::string& word) { return keras::Activation(word).name(); },
      "An error unless there is an activation of that name.");
}

}  // namespace

void bind_keras_functions(nb::module_& m) {
  bind_initializers(m);
  bind_regularizers(m);
  bind_activations(m);
}

}  // namespace alula::python
