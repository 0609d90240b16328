// What a training step costs, compiled, through `fit`, and eagerly; what a call of a compiled
// function costs when there is nothing to do; how long tracing takes.
//
//   train_step [STEPS.json] [--only=TEXT] [--way=TEXT] [--seconds=0.5] [--threads=2] [--json=FILE]
//              [--device=/GPU:0]
//   train_step STEPS.json --serve
//
// prints a table, or measures what it is asked to on its input, for tools/bench.
//
// The same rules hold for the peers: batches lie ready as the framework's own tensors, each step
// takes another one, and the loss is read after every step.
//
// The ways "pipeline" and "augmented" are `fit` with images that are stored as bytes, and made
// numbers between 0 and 1 by a map of the data set; the second also changes their brightness.
// Beside "fit", they tell what a pipeline costs. The way "loop" walks through a data set in a loop
// of its own, as "function" does through batches that lie ready.
#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <thread>

#include "benchmarks/steps.h"
#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace alula::benchmarks {
namespace {

using io::Json;
using Clock = std::chrono::steady_clock;

const std::vector<std::string> kWays{"function", "fit", "eager"};
const std::vector<std::string> kPipelines{"pipeline", "augmented", "loop"};

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Microseconds a step: the median over blocks of steps that take some milliseconds each.
template <class F>
double time_blocks(const F& once, double seconds) {
  constexpr double kBlock = 3000;  // us
  const auto block = [&](int64_t count) {
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < count; ++i) once();
    return microseconds(Clock::now() - start) / static_cast<double>(count);
  };
  // Warms caches up, and finds out how many steps a block has.
  int64_t count = 1;
  while (true) {
    const double one = block(count);
    const auto wanted = static_cast<int64_t>(kBlock / one) + 1;
    if (count * 2 >= wanted) break;
    count = std::min(wanted, count * 10);
  }
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  while (times.size() < 3 || microseconds(Clock::now() - start) < seconds * 1e6)
    times.push_back(block(count));
  return median(std::move(times));
}

/// Nanoseconds from one core to another, by a cache line that two threads pass to and fro. Virtual
/// machines move their cores about; when they are far apart, figures of two threads are others.
double cores_apart() {
  constexpr int kTurns = 1000;
  std::atomic<int> ball = 0;
  const auto play = [&](int mine) {
    for (int turn = mine; turn < 2 * kTurns; turn += 2) {
      for (int spins = 0; ball.load(std::memory_order_acquire) != turn; ++spins)
        if (spins > 10'000) std::this_thread::yield();
      ball.store(turn + 1, std::memory_order_release);
    }
  };
  double least = 1e9;
  std::thread other;
  for (int repeat = 0; repeat < 5; ++repeat) {
    ball = 0;
    other = std::thread(play, 1);
    const Clock::time_point start = Clock::now();
    play(0);
    least = std::min(least, microseconds(Clock::now() - start) * 1e3 / (2 * kTurns));
    other.join();
  }
  return least;
}

/// A prepared measurement. Kept between rounds, so that only the first one traces.
struct Measurement {
  std::function<double(double seconds)> run;  // us a step
  std::function<double()> loss = [] { return 0.0; };
  int64_t parameters = 0;
};

template <class F>
Measurement training_loop(const Step& step, const keras::Model& model, const F& train) {
  auto batches = std::make_shared<Batches>(step);
  auto loss = std::make_shared<float>(0);
  const auto once = [=] {
    batches->next();
    *loss = train(batches->images(), batches->labels()).template item<float>();
  };
  return {.run = [once](double seconds) { return time_blocks(once, seconds); },
          .loss = [loss] { return *loss; },
          .parameters = model.count_params()};
}

Measurement training(const Step& step, const std::string& way) {
  const keras::Sequential model = step.make_model();
  if (way == "function") return training_loop(step, model, function(training_step(model)));
  return training_loop(
      step, model,
      [train = std::make_shared<decltype(training_step(model))>(training_step(model))](
          const Tensor& x, const Tensor& y) { return (*train)(x, y); });
}

/// The same with batches of a data set in the host's memory.
Measurement looping(const Step& step) {
  const keras::Sequential model = step.make_model();
  const int64_t count = 2 * step.batches() * step.batch;
  const Tensor x = random::uniform(step.input_shape(count)).cpu();
  const Tensor y = random::uniform({count}, {.maxval = 10, .dtype = int32}).cpu();
  const data::Dataset dataset =
      data::Dataset::from_tensor_slices({x, y}).repeat().batch(step.batch).prefetch(data::AUTOTUNE);
  auto iterator = std::make_shared<data::Iterator>(dataset.iterator());
  auto loss = std::make_shared<float>(0);
  const auto once = [=, train = function(training_step(model))] {
    data::Row row;
    iterator->next(row);
    *loss = train(row[0], row[1]).template item<float>();
  };
  return {.run = [once](double seconds) { return time_blocks(once, seconds); },
          .loss = [loss] { return *loss; },
          .parameters = model.count_params()};
}

Measurement inference(const Step& step, const std::string& way) {
  const keras::Sequential model = step.make_model();
  const Batches batches(step);
  const auto measure = [=](const auto& predict) {
    return [=](double seconds) {
      auto at = std::make_shared<Batches>(batches);
      return time_blocks(
          [=] {
            at->next();
            benchmark::DoNotOptimize(predict(at->images()).cpu().template span<float>()[0]);
          },
          seconds);
    };
  };
  const auto predict = [model](const Tensor& x) { return model(x); };
  if (way == "function")
    return {.run = measure(function(predict)), .parameters = model.count_params()};
  return {.run = measure(predict), .parameters = model.count_params()};
}

/// When epochs end.
class EpochTimes final : public keras::Callback {
 public:
  void on_epoch_end(int64_t /*epoch*/, keras::Logs& logs) override {
    ends.push_back(Clock::now());
    loss = logs["loss"];
  }
  bool uses_batches() const override { return false; }

  std::vector<Clock::time_point> ends;
  double loss = 0;
};

/// Numbers between 0 and 1 as bytes, shuffled, and made numbers again by a map.
data::Dataset pipeline(const Tensor& x, const Tensor& y, int64_t batch, bool augmented) {
  const auto scale = [](const Tensor& image, const Tensor& label) {
    return std::tuple(cast(image, float32) / 255.F, label);
  };
  const auto change = [](const Tensor& image, const Tensor& label) {
    return std::tuple(image::random_brightness(image, 0.1), label);
  };
  const DeviceScope scope(kCPU);
  data::Dataset dataset = data::Dataset::from_tensor_slices({cast(x * 255.F, uint8), y})
                              .shuffle(x.shape()[0])
                              .map(scale, {.num_parallel_calls = data::AUTOTUNE});
  if (augmented) dataset = dataset.map(change, {.num_parallel_calls = data::AUTOTUNE});
  return dataset.batch(batch).prefetch(data::AUTOTUNE);
}

/// Epochs of `fit`, with a metric. The set holds every image twice, with different labels.
Measurement fitting(const Step& step, const std::string& way) {
  const keras::Sequential model = step.make_model();
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  const int64_t steps = 2 * step.batches();
  const Tensor once = random::uniform(step.input_shape(steps / 2 * step.batch));
  const Tensor x = concat({once, once}, 0).cpu();
  const Tensor y = random::uniform({steps * step.batch}, {.maxval = 10, .dtype = int32}).cpu();
  std::optional<data::Dataset> dataset;
  if (way != "fit") dataset = pipeline(x, y, step.batch, way == "augmented");
  auto loss = std::make_shared<double>(0);
  const auto microseconds_an_epoch = [=](int64_t epochs) {
    EpochTimes times;
    keras::FitOptions options{.epochs = epochs, .verbose = 0, .callbacks = {&times}};
    if (dataset.has_value()) {
      model.fit(*dataset, options);
    } else {
      options.batch_size = step.batch;
      model.fit(x, y, options);
    }
    std::vector<double> each;
    for (size_t i = 1; i < times.ends.size(); ++i)
      each.push_back(microseconds(times.ends[i] - times.ends[i - 1]));
    *loss = times.loss;
    return median(std::move(each));
  };
  auto epoch = std::make_shared<double>(0);
  const auto run = [=](double seconds) {
    // Before the first time, the way to run it is looked for, which takes some hundred steps.
    if (*epoch == 0) *epoch = microseconds_an_epoch(4 + 500 / steps);
    *epoch = microseconds_an_epoch(2 + static_cast<int64_t>(seconds * 1e6 / *epoch));
    return *epoch / static_cast<double>(steps);
  };
  return {.run = run, .loss = [loss] { return *loss; }, .parameters = model.count_params()};
}

/// From the first call of a step to its result.
Measurement tracing(const Step& step) {
  const auto run = [=](double seconds) {
    Batches batches(step);
    std::vector<double> times;
    const Clock::time_point start = Clock::now();
    while (times.size() < 3 || microseconds(Clock::now() - start) < seconds * 1e6) {
      auto train = function(training_step(step.make_model()));
      const Clock::time_point before = Clock::now();
      benchmark::DoNotOptimize(train(batches.images(), batches.labels()).item<float>());
      times.push_back(microseconds(Clock::now() - before));
    }
    return median(std::move(times));
  };
  return {.run = run, .parameters = step.make_model().count_params()};
}

template <size_t kInputs>
Measurement empty_call() {
  std::array<Tensor, kInputs> inputs;
  for (Tensor& input : inputs) input = random::uniform({10});
  auto call = function(
      [](const Tensor& first, const std::same_as<Tensor> auto&...) -> Tensor { return first; });
  return {.run = [=](double seconds) {
    return time_blocks([&] { benchmark::DoNotOptimize(std::apply(call, inputs)); }, seconds);
  }};
}

Measurement prepare(const Step& step, const std::string& way) {
  const bool compiled = way == "function";
  const bool pipelined = std::ranges::find(kPipelines, way) != kPipelines.end();
  if (step.kind == "train" && way == "loop") return looping(step);
  if (step.kind == "train")
    return way == "fit" || pipelined ? fitting(step, way) : training(step, way);
  if (step.kind == "inference" && way != "fit" && !pipelined) return inference(step, way);
  if (step.kind == "tracing" && compiled) return tracing(step);
  if (step.kind == "empty_call" && compiled && step.inputs == 1) return empty_call<1>();
  if (step.kind == "empty_call" && compiled && step.inputs == 10) return empty_call<10>();
  if (step.kind == "empty_call" && compiled && step.inputs == 50) return empty_call<50>();
  return {};
}

class Program {
 public:
  explicit Program(const std::string& path) : steps_(read_steps(path)) {}

  const std::vector<Step>& steps() const { return steps_; }

  /// What the measurement gave; {"skipped": …} where there is nothing to measure.
  Json measure(const std::string& name, const std::string& way, double seconds) {
    Measurement& measurement = find(name, way);
    if (!measurement.run) return Json::Object{{"skipped", "there is no such way"}};
    const double us = measurement.run(seconds);
    return Json::Object{{"us", us},
                        {"loss", measurement.loss()},
                        {"parameters", measurement.parameters},
                        {"cores_apart_ns", cores_apart()}};
  }

  void forget() { measurements_.clear(); }

 private:
  Measurement& find(const std::string& name, const std::string& way) {
    const auto key = std::make_pair(name, way);
    if (const auto known = measurements_.find(key); known != measurements_.end())
      return known->second;
    const auto step = std::ranges::find(steps_, name, &Step::name);
    if (step == steps_.end()) throw NotFoundError("train_step: there is no step " + name + ".");
    return measurements_[key] = prepare(*step, way);
  }

  std::vector<Step> steps_;
  std::map<std::pair<std::string, std::string>, Measurement> measurements_;
};

/// Answers requests, one a line, until the input ends.
void serve(Program& program) {
  const auto reply = [](const Json& json) { std::cout << json.dump() << '\n' << std::flush; };
  Json::Array ways(kWays.begin(), kWays.end());
  reply(Json::Object{{"framework", "Alula"}, {"version", version()}, {"ways", std::move(ways)}});
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const Json request = Json::parse(line, "the request");
      reply(program.measure(request.at("step").as_string(), request.at("way").as_string(),
                            request.at("seconds").as_number()));
    } catch (const std::exception& error) {
      reply(Json::Object{{"error", error.what()}});
    }
  }
}

void print_table(Program& program, const std::map<std::string, std::string>& options) {
  const auto option = [&](const char* name, const char* otherwise) {
    const auto found = options.find(name);
    return found == options.end() ? std::string(otherwise) : found->second;
  };
  const std::string only = option("only", ""), only_way = option("way", "");
  const double seconds = std::stod(option("seconds", "0.5"));
  Json::Array rows;
  std::vector<std::string> ways = kWays;
  ways.insert(ways.end(), kPipelines.begin(), kPipelines.end());
  fmt::print("Microseconds a step, {} threads\n{:22}", config::get_intra_op_parallelism_threads(),
             "");
  for (const std::string& way : ways) fmt::print("{:>12}", way);
  fmt::print("\n");
  for (const Step& step : program.steps()) {
    if (step.name.find(only) == std::string::npos) continue;
    fmt::print("{:22}", step.name);
    for (const std::string& way : ways) {
      const Json result = way.find(only_way) == std::string::npos
                              ? Json(Json::Object{})
                              : program.measure(step.name, way, seconds);
      const Json* us = result.find("us");
      fmt::print("{:>12}", us == nullptr ? "" : fmt::format("{:.2f}", us->as_number()));
      std::cout << std::flush;
      if (us != nullptr)
        rows.emplace_back(Json::Object{{"step", step.name}, {"way", way}, {"us", *us}});
    }
    fmt::print("\n");
    program.forget();
  }
  fmt::print("The cores are {:.0f} ns apart.\n", cores_apart());
  if (const std::string path = option("json", ""); !path.empty()) {
    io::FileWriter file(path);
    file.write(Json(std::move(rows)).dump() + "\n");
    file.close();
  }
}

int run(const std::vector<std::string>& arguments) {
  std::string path = "benchmarks/steps.json";
  std::map<std::string, std::string> options;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    if (!argument.starts_with("--"))
      path = argument;
    else if (equals == std::string::npos)
      options[argument.substr(2)] = "";
    else
      options[argument.substr(2, equals - 2)] = argument.substr(equals + 1);
  }
  config::set_intra_op_parallelism_threads(
      options.contains("threads") ? std::stoi(options["threads"]) : 2);
  std::optional<DeviceScope> scope;
  if (options.contains("device")) scope.emplace(usable(Device(options["device"])));
  Program program(path);
  if (options.contains("serve"))
    serve(program);
  else
    print_table(program, options);
  return 0;
}

}  // namespace
}  // namespace alula::benchmarks

int main(int count, char** arguments) {
  try {
    return alula::benchmarks::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
