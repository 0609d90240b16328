// Does something a given number of times, on one thread, for callgrind to count its instructions:
//
//   instructions STEPS.json NAME COUNT
//
// tools/check_instructions compares what COUNT and twice COUNT cost, so that set-up does not count.
#include <iostream>

#include "benchmarks/steps.h"
#include <benchmark/benchmark.h>

namespace alula::benchmarks {
namespace {

void eager_add(int64_t count) {
  const Tensor a = fill({10, 10}, 1.5f), b = fill({10, 10}, 2.5f);
  for (int64_t i = 0; i < count; ++i) benchmark::DoNotOptimize(a + b);
}

void empty_call(int64_t count) {
  const Tensor x = fill({10}, 1.5f);
  auto call = function([](const Tensor& input) { return input; });
  for (int64_t i = 0; i < count; ++i) benchmark::DoNotOptimize(call(x));
}

void compiled_step(const Step& step, int64_t count) {
  random::set_seed(1);
  auto train = function(training_step(step.make_model()));
  Batches batches(step);
  for (int64_t i = 0; i < count; ++i) {
    batches.next();
    benchmark::DoNotOptimize(train(batches.images(), batches.labels()).item<float>());
  }
}

void run(const std::string& path, const std::string& name, int64_t count) {
  config::set_intra_op_parallelism_threads(1);
  if (name == "eager_add_10x10") return eager_add(count);
  if (name == "empty_call") return empty_call(count);
  const std::vector<Step> steps = read_steps(path);
  const auto step = std::ranges::find(steps, name, &Step::name);
  if (step == steps.end() || step->kind != "train")
    throw NotFoundError("instructions: there is no training step " + name + ".");
  compiled_step(*step, count);
}

}  // namespace
}  // namespace alula::benchmarks

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "instructions STEPS.json NAME COUNT\n";
    return 2;
  }
  try {
    alula::benchmarks::run(arguments[1], arguments[2], std::stoll(arguments[3]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
