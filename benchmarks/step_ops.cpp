// Where a compiled training step's time goes: its graph, and the median of each kernel call.
//
//   step_ops STEPS.json NAME [THREADS]
#include <iostream>

#include "benchmarks/steps.h"
#include <fmt/format.h>

#include "alula/runtime/spans.h"

namespace alula::benchmarks {
namespace {

/// What the calls at one place of the step had in common.
struct Place {
  std::string name;
  double us = 0;
  int64_t bytes = 0;
};

/// The medians over steps that made the same calls.
std::vector<Place> places_of(const std::vector<std::vector<spans::Span>>& steps) {
  std::vector<Place> places;
  for (size_t i = 0; i < steps.back().size(); ++i) {
    std::vector<int64_t> times;
    for (const std::vector<spans::Span>& step : steps)
      if (step.size() == steps.back().size()) times.push_back(step[i].end - step[i].start);
    std::ranges::nth_element(times, times.begin() + static_cast<int64_t>(times.size() / 2));
    const spans::Span& span = steps.back()[i];
    places.push_back({.name = span.name,
                      .us = static_cast<double>(times[times.size() / 2]) / 1e3,
                      .bytes = span.read + span.written});
  }
  return places;
}

void run(const Step& step) {
  auto train = function(training_step(step.make_model()));
  Batches batches(step);
  const auto once = [&] {
    batches.next();
    train(batches.images(), batches.labels());
  };
  std::cout << train.get_concrete_function(batches.images(), batches.labels()).str() << '\n';
  constexpr double kSeconds = 0.5;
  const int64_t start = spans::now();
  std::vector<std::vector<spans::Span>> steps;
  for (int i = 0; i < 10 || static_cast<double>(spans::now() - start) < kSeconds * 1e9; ++i) {
    for (int j = 0; j < 3; ++j) once();  // keeping spans disturbs the caches
    spans::Recording recording;
    once();
    steps.push_back(recording.stop());
  }
  const std::vector<Place> places = places_of(steps);
  double total = 0;
  for (const Place& place : places) total += place.us;
  fmt::print("{}: {:.2f} us in kernels, {} threads, median of {} steps\n", step.name, total,
             config::get_intra_op_parallelism_threads(), steps.size());
  for (const Place& place : places)
    fmt::print("{:10.2f} us {:3.0f}% {:8.1f} GB/s  {}\n", place.us, 100 * place.us / total,
               static_cast<double>(place.bytes) / place.us / 1e3, place.name);
}

}  // namespace
}  // namespace alula::benchmarks

int main(int count, char** arguments) {
  using namespace alula;
  if (count < 3) {
    std::cerr << "step_ops STEPS.json NAME [THREADS]\n";
    return 2;
  }
  try {
    config::set_intra_op_parallelism_threads(count > 3 ? std::stoi(arguments[3]) : 2);
    for (const benchmarks::Step& step : benchmarks::read_steps(arguments[1]))
      if (step.kind == "train" && step.name == arguments[2]) benchmarks::run(step);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
