#include "python/src/module.h"
#include "python/src/ops.h"

// tf.random.
namespace alula::python {
namespace {

bool is_plain_number(nb::handle value) {
  return PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr());
}

/// Normal numbers; a mean or a deviation that is a tensor broadcasts with the shape.
template <Tensor (*kFunction)(const Shape&, const random::NormalOptions&)>
TensorObject normal_of(ShapeLike shape, Like mean, Like stddev, DTypeLike dtype, nb::handle seed,
                       nb::handle) {
  const Shape dims = shape.get();
  random::NormalOptions options{.dtype = dtype.value_or(float32), .seed = to_seed(seed)};
  if (is_plain_number(mean.handle()) && is_plain_number(stddev.handle())) {
    options.mean = nb::cast<double>(mean.handle());
    options.stddev = nb::cast<double>(stddev.handle());
    return computed(dims.size(), [&] { return kFunction(dims, options); });
  }
  const Tensor m = mean.tensor(options.dtype), s = stddev.tensor(options.dtype);
  return computed(dims.size(), [&] { return add(mul(kFunction(dims, options), s), m); });
}

TensorObject uniform_of(ShapeLike shape, Like minval, Like maxval, DTypeLike dtype, nb::handle seed,
                        nb::handle) {
  const Shape dims = shape.get();
  const DType type = dtype.value_or(float32);
  require(is_floating(type) || !maxval.is_none(),
          "random.uniform: maxval must be given for integers. Got dtype {}.", type);
  random::UniformOptions options{.dtype = type, .seed = to_seed(seed)};
  const auto scalar = [&](Like value) {
    return is_plain_number(value.handle()) ||
           (value.tensor().rank() == 0 && !value.tensor().is_symbolic());
  };
  if (scalar(minval) && (maxval.is_none() || scalar(maxval))) {
    options.minval = to_number(minval.tensor(type), "random.uniform: minval");
    if (!maxval.is_none())
      options.maxval = to_number(maxval.tensor(type), "random.uniform: maxval");
    return computed(dims.size(), [&] { return random::uniform(dims, options); });
  }
  require(is_floating(type), "random.uniform: minval and maxval of integers must be scalars.");
  const Tensor low = minval.tensor(type);
  const Tensor high = maxval.is_none() ? Tensor(Number(1), type) : maxval.tensor(type);
  return computed(dims.size(),
                  [&] { return add(mul(random::uniform(dims, options), sub(high, low)), low); });
}

random::StatelessSeed to_stateless_seed(nb::handle seed) {
  const std::vector<int64_t> numbers = to_ints(seed, "seed");
  require(numbers.size() == 2, "random: a stateless seed is two integers. Got {} of them.",
          numbers.size());
  return {numbers[0], numbers[1]};
}

template <Tensor (*kFunction)(const Shape&, const random::StatelessSeed&,
                              const random::NormalOptions&)>
void def_stateless_normal(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](ShapeLike shape, nb::handle seed, double mean, double stddev, DTypeLike dtype, nb::handle,
         nb::handle) {
        return wrap(kFunction(shape.get(), to_stateless_seed(seed),
                              {.mean = mean, .stddev = stddev, .dtype = dtype.value_or(float32)}));
      },
      "shape"_a, "seed"_a, "mean"_a = 0.0, "stddev"_a = 1.0, "dtype"_a = wrap(float32),
      name_argument(), "alg"_a = "auto_select", doc);
}

void bind_stateless(nb::module_& m) {
  def_stateless_normal<random::stateless_normal>(
      m, "stateless_normal",
      "Normal numbers that the two numbers of the seed alone decide.\n\n"
      ">>> tf.random.stateless_normal([2], seed=[1, 2]).shape\n"
      "TensorShape([2])");
  def_stateless_normal<random::stateless_truncated_normal>(
      m, "stateless_truncated_normal",
      "Normal numbers within two deviations that the seed alone decides.");
  m.def(
      "stateless_uniform",
      [](ShapeLike shape, nb::handle seed, Like minval, Like maxval, DTypeLike dtype, nb::handle,
         nb::handle) {
        const DType type = dtype.value_or(float32);
        random::UniformOptions options{.dtype = type};
        options.minval = to_number(minval.tensor(type), "minval");
        if (!maxval.is_none()) options.maxval = to_number(maxval.tensor(type), "maxval");
        return wrap(random::stateless_uniform(shape.get(), to_stateless_seed(seed), options));
      },
      "shape"_a, "seed"_a, "minval"_a = 0, "maxval"_a = nb::none(), "dtype"_a = wrap(float32),
      name_argument(), "alg"_a = "auto_select",
      "Equally likely numbers that the two numbers of the seed alone decide.\n\n"
      ">>> tf.random.stateless_uniform([3], [7, -3], 0, 1000, dtype=tf.int32).numpy()\n"
      "array([867, 102, 288], dtype=int32)");
}

}  // namespace

void bind_ops_random(nb::module_& m) {
  nb::module_ random = m.def_submodule("random", "tf.random");
  random.def(
      "set_seed", [](nb::handle seed) { random::set_seed(to_int(seed, "seed")); }, "seed"_a,
      "Sets the global seed: what is drawn after it is the same in every run.\n\n"
      ">>> tf.random.set_seed(1)\n>>> a = tf.random.normal([2])\n>>> tf.random.set_seed(1)\n"
      ">>> bool(tf.reduce_all(tf.random.normal([2]) == a))\nTrue");
  random.def("normal", &normal_of<random::normal>, "shape"_a, "mean"_a = 0.0, "stddev"_a = 1.0,
             "dtype"_a = wrap(float32), "seed"_a = nb::none(), name_argument(),
             described("Numbers of the normal distribution.\n\n"
                       ">>> tf.random.normal([2, 3]).shape\nTensorShape([2, 3])",
                       "random_normal")
                 .c_str());
  random.def("truncated_normal", &normal_of<random::truncated_normal>, "shape"_a, "mean"_a = 0.0,
             "stddev"_a = 1.0, "dtype"_a = wrap(float32), "seed"_a = nb::none(), name_argument(),
             described("Normal numbers, none further from the mean than two deviations.",
                       "random_truncated_normal")
                 .c_str());
  random.def("uniform", &uniform_of, "shape"_a, "minval"_a = 0, "maxval"_a = nb::none(),
             "dtype"_a = wrap(float32), "seed"_a = nb::none(), name_argument(),
             described("Numbers from `minval`, included, to `maxval`, excluded, all equally "
                       "likely.\n\n>>> dice = tf.random.uniform([100], 1, 7, dtype=tf.int32)\n"
                       ">>> bool(tf.reduce_all((dice >= 1) & (dice <= 6)))\nTrue",
                       "random_uniform")
                 .c_str());
  random.def(
      "_bernoulli",
      [](ShapeLike shape, double probability, DTypeLike dtype, nb::handle seed) {
        const Shape dims = shape.get();
        return wrap(random::bernoulli(
            dims,
            {.probability = probability, .dtype = dtype.value_or(float32), .seed = to_seed(seed)}));
      },
      "shape"_a, "probability"_a = 0.5, "dtype"_a = nb::none(), "seed"_a = nb::none());
  random.def(
      "categorical",
      [](Like logits, nb::handle num_samples, DTypeLike dtype, nb::handle seed, nb::handle) {
        const Tensor x = logits.tensor();
        const int64_t count = to_int(num_samples, "num_samples");
        const random::CategoricalOptions options{.dtype = dtype.value_or(int64),
                                                 .seed = to_seed(seed)};
        return computed(work_of(x) * std::max<int64_t>(count, 1),
                        [&] { return random::categorical(x, count, options); });
      },
      "logits"_a, "num_samples"_a, "dtype"_a = nb::none(), "seed"_a = nb::none(), name_argument(),
      "Classes drawn by their unnormalized log-probabilities.\n\n"
      ">>> tf.random.categorical([[0.0, 100.0]], 3).numpy()\narray([[1, 1, 1]])");
  bind_stateless(random);
  random.def(
      "shuffle",
      [](Like value, nb::handle seed, nb::handle) {
        const Tensor x = value.tensor();
        const random::Seed by = to_seed(seed);
        return computed(work_of(x), [&] { return random::shuffle(x, by); });
      },
      "value"_a, "seed"_a = nb::none(), name_argument(),
      described("The slices along the first dimension in random order.", "random_shuffle").c_str());
}

}  // namespace alula::python
