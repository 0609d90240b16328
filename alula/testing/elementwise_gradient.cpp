#include "alula/testing/elementwise_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alula/autograd/tape.h"
#include "alula/ops/add.h"
#include "alula/ops/cast.h"
#include "alula/runtime/devices.h"
#include "alula/scalar/gradient.h"

namespace alula::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The derivative along one input by differences of fourth order.
double difference(const Plain& f, std::vector<double> at, size_t i, double step) {
  const double x = at[i];
  const double h = step * std::clamp(std::abs(x), 0.01, 1.0);
  const auto moved_by = [&](double distance) {
    at[i] = x + distance;
    return f(at);
  };
  return (8 * (moved_by(h) - moved_by(-h)) - (moved_by(2 * h) - moved_by(-2 * h))) / (12 * h);
}

/// What two estimates agree on; NaN if they don't, as near a kink.
double agreed(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * (1 + std::abs(a)) ? a : kNaN;
}

double first_derivative(const Plain& f, const std::vector<double>& at, size_t i) {
  return agreed(difference(f, at, i, 1e-4), difference(f, at, i, 3e-4), 1e-7);
}

double second_derivative(const Plain& f, const std::vector<double>& at, size_t i, size_t k) {
  const auto estimate = [&](double step) {
    const Plain slope = [&](const std::vector<double>& x) { return difference(f, x, k, step); };
    return difference(slope, at, i, step);
  };
  return agreed(estimate(2e-3), estimate(1e-3), 1e-6);
}

/// The first derivatives with respect to the inputs, times dy; and those of their sum, weighted
/// with one tensor an input. Inputs that are no floating point numbers have none; undefined if
/// nothing depends on an input.
struct Slopes {
  std::vector<Tensor> first, second;
};

struct Weights {
  Tensor dy;
  std::vector<Tensor> inputs;
};

Slopes slopes_of(const Function& f, const std::vector<Tensor>& inputs, const Weights& weights) {
  std::vector<Tensor> sources;
  GradientTape outer({.persistent = true}), inner;
  for (const Tensor& input : inputs) {
    if (!is_floating(input.dtype())) continue;
    sources.push_back(input);
    outer.watch(input);
    inner.watch(input);
  }
  Slopes slopes;
  slopes.first = inner.gradient(f(inputs), sources, {.output_gradients = weights.dy});
  slopes.second.resize(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!slopes.first[i].defined()) continue;
    const std::vector<Tensor> part =
        outer.gradient(slopes.first[i], sources, {.output_gradients = weights.inputs[i]});
    const auto pause = outer.stop_recording();
    for (size_t k = 0; k < part.size(); ++k) {
      if (!part[k].defined()) continue;
      Tensor& sum = slopes.second[k];
      sum = sum.defined() ? add(sum, part[k]) : part[k];
    }
  }
  return slopes;
}

Weights draw_weights(const Spec& output, const std::vector<Tensor>& inputs) {
  Weights weights{.dy = random_tensor(output)};
  for (const Tensor& input : inputs)
    if (is_floating(input.dtype())) weights.inputs.push_back(random_tensor(input.spec()));
  return weights;
}

template <class Change>
Weights changed(const Weights& weights, const Change& change) {
  Weights result{.dy = change(weights.dy)};
  for (const Tensor& weight : weights.inputs) result.inputs.push_back(change(weight));
  return result;
}

/// The same as arrays, by differences of a plain function; NaN where they can't be told.
struct PlainSlopes {
  std::vector<Array> first, second;
};

PlainSlopes plain_slopes(const Plain& f, const std::vector<Tensor>& inputs, const Shape& shape,
                         const Weights& weights) {
  std::vector<Array> arrays, v;
  std::vector<size_t> sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    arrays.push_back(broadcast_to(to_array(inputs[i]), shape));
    if (is_floating(inputs[i].dtype())) sources.push_back(i);
  }
  for (const Tensor& weight : weights.inputs) v.push_back(broadcast_to(to_array(weight), shape));
  const Array dy = to_array(weights.dy);
  PlainSlopes slopes;
  for (size_t source : sources) {
    Array first(shape), second(shape);
    for (int64_t e = 0; e < first.size(); ++e) {
      std::vector<double> at;
      for (const Array& array : arrays) at.push_back(array.values[e]);
      first.values[e] = dy.values[e] * first_derivative(f, at, source);
      for (size_t k = 0; k < sources.size(); ++k)
        second.values[e] +=
            dy.values[e] * v[k].values[e] * second_derivative(f, at, source, sources[k]);
    }
    const Shape& to = inputs[source].shape();
    slopes.first.push_back(plain_sum_to(first, to));
    slopes.second.push_back(plain_sum_to(second, to));
  }
  return slopes;
}

/// How many numbers were compared, and how many could not be.
struct Count {
  int64_t compared = 0;
  int64_t skipped = 0;
};

void compare(const Tensor& actual, const Array& expected, double tolerance, const char* what,
             Count& count) {
  const Array values = actual.defined() ? to_array(actual) : Array(expected.shape);
  ASSERT_EQ(to_string(values.shape), to_string(expected.shape)) << what;
  int failures = 0;
  for (int64_t i = 0; i < expected.size() && failures < 3; ++i) {
    const double wanted = expected.values[i];
    ++(std::isfinite(wanted) ? count.compared : count.skipped);
    if (!std::isfinite(wanted)) continue;
    if (std::abs(values.values[i] - wanted) <= tolerance * (1 + std::abs(wanted))) continue;
    ++failures;
    ADD_FAILURE() << "the " << what << " derivative, element " << i << ", is " << values.values[i]
                  << ", not " << wanted;
  }
}

class GradientCheck {
 public:
  GradientCheck(const Elementwise& f, const Function& call, const Plain& plain,
                const ElementwiseCheck& options)
      : f_(f), call_(call), plain_(plain), options_(options) {}

  void operator()() {
    for (const std::vector<Shape>& shapes : cases()) with_differences(draw(float64, shapes));
    EXPECT_GE(count_.compared, count_.skipped) << "hardly any derivative was compared";
    for (DType dtype : {float16, bfloat16, float32}) {
      with_float64(draw(dtype, cases().back()), 16 * tolerance_of(dtype));
    }
    with_float64(extreme_values(), 1e-4);
  }

 private:
  std::vector<std::vector<Shape>> cases() const {
    if (f_.inputs() == 1) return {{{}}, {{0}}, {{3, 5}}, {{33}}};
    if (f_.inputs() == 2)
      return {{{}, {}},      {{3}, {}},        {{}, {2, 3}},     {{4, 1}, {1, 5}}, {{2, 3}, {3}},
              {{0, 3}, {3}}, {{2, 3, 1}, {4}}, {{1, 3}, {2, 3}}, {{33}, {33}}};
    return {{{}, {}, {}}, {{4, 1}, {1, 5}, {}}, {{3}, {2, 3}, {2, 1}}, {{33}, {33}, {33}}};
  }

  DType dtype_of_input(int i, DType dtype) const {
    return i == 0 && f_.options().condition ? boolean : dtype;
  }

  std::vector<Tensor> draw(DType dtype, const std::vector<Shape>& shapes) const {
    std::vector<Tensor> inputs;
    for (int i = 0; i < f_.inputs(); ++i)
      inputs.push_back(
          random_tensor({dtype_of_input(i, dtype), shapes[i]}, {options_.from, options_.to}));
    return inputs;
  }

  /// Each of some values of float32 beside each of the others. Of several inputs, powers and
  /// quotients of the tiny ones should still fit.
  std::vector<Tensor> extreme_values() const {
    const double tiny = f_.inputs() == 1 ? 1e-30 : 1e-10;
    const Array values({9}, {0, tiny, -tiny, 1, -1, 20, -20, 100, -100});
    const std::vector<int64_t> all(f_.inputs(), 9);
    std::vector<Tensor> inputs;
    for (int i = 0; i < f_.inputs(); ++i) {
      std::vector<int64_t> along(f_.inputs(), 1);
      along[i] = 9;
      const Array repeated = broadcast_to({Shape(along), values.values}, Shape(all));
      inputs.push_back(to_tensor(repeated, dtype_of_input(i, float32)));
    }
    return inputs;
  }

  void with_differences(const std::vector<Tensor>& inputs) {
    const Spec output = call_(inputs).spec();
    const Weights weights = draw_weights(output, inputs);
    const PlainSlopes expected = plain_slopes(plain_, inputs, output.shape, weights);
    for (Device device : test_devices()) {
      SCOPED_TRACE(to_string(device));
      const DeviceScope scope(device);
      std::vector<Tensor> there;
      for (const Tensor& input : inputs) there.push_back(input.to(device));
      const Slopes actual =
          slopes_of(call_, there, changed(weights, [&](const Tensor& x) { return x.to(device); }));
      for (size_t i = 0; i < expected.first.size(); ++i) {
        if (actual.first[i].defined()) {
          EXPECT_EQ(actual.first[i].device(), device);
        }
        compare(actual.first[i], expected.first[i], 1e-6, "first", count_);
        compare(actual.second[i], expected.second[i], 1e-4, "second", count_);
      }
    }
  }

  /// Compares the gradients of another dtype with those of the same numbers in float64.
  void with_float64(const std::vector<Tensor>& inputs, double tolerance) const {
    const DType dtype = inputs.back().dtype();
    SCOPED_TRACE(fmt::format("{} beside float64", dtype));
    const auto widened = [](const Tensor& x) {
      return is_floating(x.dtype()) ? cast(x, float64) : x;
    };
    std::vector<Tensor> wide;
    for (const Tensor& input : inputs) wide.push_back(widened(input));
    const Spec output = call_(inputs).spec();
    Weights weights{.dy = filled(output, 1)};
    double weight = 1;  // others for each input, so that nothing large cancels out
    for (const Tensor& input : inputs)
      if (is_floating(input.dtype())) weights.inputs.push_back(filled(input.spec(), weight /= 2));
    const Slopes actual = slopes_of(call_, inputs, weights);
    const Slopes expected = slopes_of(call_, wide, changed(weights, widened));
    for (size_t i = 0; i < actual.first.size(); ++i)
      for (const auto& [narrow, exact, what] :
           {std::tuple(actual.first[i], expected.first[i], "first"),
            std::tuple(actual.second[i], expected.second[i], "second")}) {
        EXPECT_EQ(narrow.defined(), exact.defined());
        if (!exact.defined() || !narrow.defined()) continue;
        EXPECT_EQ(name_of(narrow.dtype()), name_of(dtype));
        Count count;
        compare(narrow, that_fit(exact, dtype), tolerance, what, count);
      }
  }

  static Tensor filled(const Spec& spec, double value) {
    Array array(spec.shape);
    std::fill(array.values.begin(), array.values.end(), value);
    return to_tensor(array, spec.dtype);
  }

  /// What is too large for a dtype is not compared.
  static Array that_fit(const Tensor& exact, DType dtype) {
    Array array = to_array(exact);
    const double most = dtype == float16 ? 1e4 : 1e37;
    for (double& value : array.values)
      if (std::abs(value) > most) value = kNaN;
    return array;
  }

  const Elementwise& f_;
  const Function& call_;
  const Plain& plain_;
  const ElementwiseCheck& options_;
  Count count_;
};

/// Whether the gradient with respect to no input is ever defined.
bool has_none(const Elementwise& f) {
  const scalar::Gradient& gradient = scalar::gradient_of(f.program(float64), ~uint64_t{0});
  return std::all_of(gradient.partials.begin(), gradient.partials.end(),
                     [](scalar::Partial x) { return x.kind == scalar::Partial::Kind::kNone; });
}

}  // namespace

Array plain_sum_to(const Array& x, const Shape& shape) {
  Array sum(shape);
  for_each_index(x.shape, [&](const Shape& index) {
    Shape to = shape;
    for (int i = 0; i < shape.rank(); ++i)
      to[i] = shape[i] == 1 ? 0 : index[x.shape.rank() - shape.rank() + i];
    sum[to] += x[index];
  });
  return sum;
}

void check_gradient(const Elementwise& f, const Function& call, const Plain& plain,
                    const ElementwiseCheck& options) {
  if (!f.dtypes().contains(float64)) return;
  SCOPED_TRACE(fmt::format("the gradient of {}", f.name()));
  EXPECT_EQ(has_none(f), f.options().gradient.is_none())
      << "a function is marked {.gradient = kNoGradient} if it has none, and only then";
  if (!f.options().gradient.is_none()) GradientCheck(f, call, plain, options)();
}

}  // namespace alula::testing
