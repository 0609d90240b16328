#include <cmath>
#include <limits>

#include "alula/autograd/tape.h"
#include "alula/graph/fuzz_test.h"
#include "alula/ops/table.h"

namespace alula::graph::fuzz {
namespace {

constexpr int64_t kMostElements = 2048;
constexpr double kLargest = 100;  // of floating point numbers

double largest_in(const Tensor& tensor) {
  double most = 0;
  for (const double x : cast(tensor, float64).to_vector<double>())
    most = std::isfinite(x) ? std::max(most, std::abs(x)) : std::numeric_limits<double>::infinity();
  return most;
}

bool is_fit(const Tensor& tensor) {
  if (tensor.size() > kMostElements) return false;
  return !is_floating(tensor.dtype()) || largest_in(tensor) <= kLargest;
}

bool is_float(const Tensor& x) { return x.dtype() == float32 || x.dtype() == float64; }

/// Functions that jump: small differences before become large ones.
bool jumps(const Elementwise& function) {
  static const std::vector<std::string> names = {"floor", "ceil", "round",
                                                 "sign",  "mod",  "floordiv"};
  return std::find(names.begin(), names.end(), function.name()) != names.end();
}

}  // namespace

Tensor Dice::tensor(const Spec& spec) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < spec.shape.size(); ++i)
    numbers.push_back(is_floating(spec.dtype) ? number(-2, 2)
                      : spec.dtype == boolean ? static_cast<double>(below(2))
                                              : static_cast<double>(between(-5, 5)));
  return cast(Tensor(numbers, spec.shape), spec.dtype);
}

Shape Dice::shape(int least_rank) {
  Shape shape;
  for (int64_t rank = between(least_rank, 3); rank > 0; --rank) shape.push_back(between(1, 4));
  return shape;
}

std::vector<Tensor> Program::operator()(const std::vector<Tensor>& given) const {
  std::vector<Tensor> values = given;
  for (const Run& step : steps)
    for (const Tensor& result : step(values)) values.push_back(result);
  std::vector<Tensor> chosen;
  for (const size_t result : results) chosen.push_back(values[result]);
  return chosen;
}

void Program::reset() const {
  random::set_seed(1);
  for (size_t i = 0; i < variables.size(); ++i) {
    Variable variable = variables[i];
    variable.assign(initial[i]);
  }
}

std::vector<Tensor> Maker::values() const {
  std::vector<Tensor> values;
  for (const Known& known : known_) values.push_back(known.value);
  return values;
}

bool Maker::is_exact(const std::vector<size_t>& reads) const {
  return std::all_of(reads.begin(), reads.end(), [&](size_t i) { return known_[i].exact; });
}

int64_t Maker::pick(const Filter& filter) {
  std::vector<size_t> fit;
  for (size_t i = 0; i < known_.size(); ++i)
    if (filter(known_[i].value)) fit.push_back(i);
  if (fit.empty()) return -1;
  return static_cast<int64_t>(dice_.chance(0.5) ? fit.back() : dice_.one_of(fit));
}

/// Whether results hardly change when what they are made of does.
bool Maker::is_stable(const std::vector<size_t>& reads, const Run& run,
                      const std::vector<Tensor>& results) {
  constexpr double kChange = 1e-4, kMost = 100 * kChange;
  for (const double sign : {1., -1.}) {
    std::vector<Tensor> changed = values();
    for (const size_t i : reads)
      if (is_floating(changed[i].dtype()))
        changed[i] = changed[i] * (1 + sign * kChange) + sign * 0.3 * kChange;
    const std::vector<Tensor> others = run(changed);
    for (size_t k = 0; k < results.size(); ++k) {
      const double scale = std::max(1.0, largest_in(results[k]));
      const Tensor difference = cast(others[k], float64) - cast(results[k], float64);
      if (!(largest_in(difference) <= kMost * scale)) return false;
    }
  }
  return true;
}

bool Maker::take(const std::vector<size_t>& reads, const Run& run, Kind kind) {
  std::vector<Tensor> results;
  try {
    results = run(values());
  } catch (const InvalidArgumentError&) {
    return false;
  }
  for (const Tensor& result : results)
    if (!is_fit(result)) return false;
  const bool exact = is_exact(reads);
  bool rounds = false;
  for (const Tensor& result : results) rounds = rounds || is_floating(result.dtype());
  if (kind == Kind::kSmooth && !exact && (!rounds || !is_stable(reads, run, results))) return false;
  const bool stays_exact = exact && (kind == Kind::kExact || !rounds);
  for (const Tensor& result : results) known_.push_back({result, stays_exact});
  program_.steps.push_back(run);
  return true;
}

/// A function of the table, of one to three values.
void Maker::elementwise() {
  const Elementwise& function = *dice_.one_of(
      std::vector<const Elementwise*>(elementwise_table().begin(), elementwise_table().end()));
  const ElementwiseOptions& options = function.options();
  const auto takes = [&](const Tensor& x) {
    return function.dtypes().contains(x.dtype()) && (!inside_tape_ || is_float(x));
  };
  const int64_t first = pick(takes);
  if (first < 0) return;
  std::vector<size_t> reads = {static_cast<size_t>(first)};
  const DType dtype = known_[reads[0]].value.dtype();
  const auto fits = [&](const Tensor& x) { return x.dtype() == dtype; };
  for (int k = 1; k < function.inputs() - (options.condition ? 1 : 0); ++k)
    reads.push_back(static_cast<size_t>(pick(fits)));
  if (options.condition) {
    const int64_t condition = pick([](const Tensor& x) { return x.dtype() == boolean; });
    if (condition < 0) return;
    reads.insert(reads.begin(), static_cast<size_t>(condition));
  }
  if (jumps(function) && !is_exact(reads)) return;
  std::vector<double> parameters;
  for (int k = 0; k < options.parameters; ++k) parameters.push_back(dice_.number(0.1, 2));
  take(reads, [=, &function](const std::vector<Tensor>& v) -> std::vector<Tensor> {
    if (parameters.size() == 1) return {function.with({parameters[0]}, v[reads[0]])};
    if (parameters.size() == 2) return {function.with({parameters[0], parameters[1]}, v[reads[0]])};
    if (reads.size() == 1) return {function(v[reads[0]])};
    if (reads.size() == 2) return {function(v[reads[0]], v[reads[1]])};
    return {function(v[reads[0]], v[reads[1]], v[reads[2]])};
  });
}

/// A value and a number: often one that changes nothing.
void Maker::with_number() {
  const int64_t at = pick(is_float);
  if (at < 0) return;
  const auto i = static_cast<size_t>(at);
  const double number = dice_.one_of(std::vector<double>{0, 1, 2, 0.5, -1, -0.25, 3, 0.1});
  const int64_t which = dice_.below(7);
  take({i}, [=](const std::vector<Tensor>& v) -> std::vector<Tensor> {
    const Tensor& x = v[i];
    switch (which) {
      case 0: return {x + number};
      case 1: return {number - x};
      case 2: return {x - number};
      case 3: return {number * x};
      case 4: return {x / (number == 0 ? 1 : number)};
      case 5: return {maximum(x, number)};
      default: return {-x};
    }
  });
}

/// A comparison, where that is safe, and a choice by it.
void Maker::choose() {
  const int64_t a = pick(is_float);
  if (a < 0 || !known_[static_cast<size_t>(a)].exact) return;
  const auto i = static_cast<size_t>(a);
  const double number = dice_.number(-1, 1);
  take({i}, [=](const std::vector<Tensor>& v) -> std::vector<Tensor> { return {v[i] > number}; });
}

/// The tape inside a program: a few steps, and the gradient of the last.
void Maker::gradient() {
  if (inside_tape_) return;
  const int64_t at = pick(is_float);
  if (at < 0) return;
  const auto source = static_cast<size_t>(at);
  const std::vector<Known> before = known_;
  const std::vector<Run> steps_before = std::exchange(program_.steps, {});
  inside_tape_ = true;
  known_ = {before[source]};
  for (int64_t count = dice_.between(1, 4); count > 0; --count) smooth_step();
  inside_tape_ = false;
  const std::vector<Run> inner = std::exchange(program_.steps, steps_before);
  known_ = before;
  if (inner.empty()) return;
  take({source}, [=](const std::vector<Tensor>& v) -> std::vector<Tensor> {
    GradientTape tape;
    tape.watch(v[source]);
    std::vector<Tensor> local = {v[source]};
    for (const Run& step : inner)
      for (const Tensor& result : step(local)) local.push_back(result);
    const Tensor target = local.back();
    const Tensor gradient = is_float(target) ? tape.gradient(target, v[source]) : Tensor();
    return {target, gradient.defined() ? gradient : zeros_like(v[source])};
  });
}

void Maker::smooth_step() {
  using Family = void (Maker::*)();
  const std::vector<Family> families = {
      &Maker::elementwise, &Maker::elementwise, &Maker::with_number,   &Maker::reduce,
      &Maker::product,     &Maker::image,       &Maker::reshaping,     &Maker::moving,
      &Maker::joining,     &Maker::gathering,   &Maker::probabilities, &Maker::with_number,
      &Maker::control};
  (this->*dice_.one_of(families))();
}

void Maker::step() {
  using Family = void (Maker::*)();
  const std::vector<Family> others = {&Maker::choose,         &Maker::casting,  &Maker::state,
                                      &Maker::random_numbers, &Maker::gradient, &Maker::gradient};
  if (dice_.chance(0.65))
    smooth_step();
  else
    (this->*dice_.one_of(others))();
}

/// Inputs and variables of several dtypes.
void Maker::start() {
  const std::vector<DType> dtypes = {float32, float32, float32, float64, int32, boolean};
  for (int64_t count = dice_.between(1, 3); count > 0; --count) {
    const DType dtype = dice_.one_of(dtypes);
    Shape shape = dice_.shape();
    if (dice_.chance(0.25))
      shape = {dice_.between(1, 2), dice_.between(3, 6), dice_.between(3, 6), dice_.between(1, 3)};
    program_.inputs.push_back(dice_.tensor({dtype, shape}));
    known_.push_back({program_.inputs.back(), true});
  }
  for (int64_t count = dice_.below(3); count > 0; --count) {
    program_.initial.push_back(dice_.tensor({float32, dice_.shape()}));
    program_.variables.emplace_back(
        program_.initial.back(),
        VariableOptions{.name = fmt::format("v{}", program_.variables.size())});
  }
}

Program Maker::operator()() {
  start();
  for (int64_t count = dice_.between(3, 14); count > 0; --count) step();
  for (int64_t count = dice_.between(1, 3); count > 0; --count)
    program_.results.push_back(
        dice_.chance(0.5) ? known_.size() - 1
                          : static_cast<size_t>(dice_.below(static_cast<int64_t>(known_.size()))));
  program_.reset();
  return std::move(program_);
}

}  // namespace alula::graph::fuzz
