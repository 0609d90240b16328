// What the input pipeline costs: microseconds a batch without a model, and whole trainings with
// one.
//
//   data [--only=TEXT] [--seconds=1] [--explain]
//   data DATA.json --serve
//
// prints a table, or measures what it is asked to on its input, for tools/bench. The peers do the
// same with tf.data.
#include <chrono>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "alula/alula.h"
#include "alula/io/json.h"

namespace alula::benchmarks {
namespace {

using data::AUTOTUNE;
using data::Dataset;
using io::Json;
using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Tensor labels(int64_t count) { return random::uniform({count}, {.maxval = 10, .dtype = int64}); }

/// 10,000 images of 64 x 64 in three colours.
Dataset images() {
  static const data::Element tensors{random::uniform({10'000, 64, 64, 3}), labels(10'000)};
  return Dataset::from_tensor_slices(tensors);
}

/// 100,000 rows of 100 numbers.
Dataset rows() {
  static const data::Element tensors{random::uniform({100'000, 100}), labels(100'000)};
  return Dataset::from_tensor_slices(tensors);
}

Dataset brighter(const Dataset& dataset, const data::MapOptions& options = {}) {
  return dataset.map(
      [](const Tensor& image, const Tensor& label) {
        return std::tuple(image::random_brightness(image, 0.1), label);
      },
      options);
}

/// The digits as float32, from 0 to 1.
Dataset mnist() {
  static const data::Element tensors = [] {
    const auto [train, test] = keras::datasets::mnist::load_data();
    return data::Element{reshape(cast(train.x, float32) / 255.f, {train.x.shape()[0], 28, 28, 1}),
                         cast(train.y, int64)};
  }();
  return Dataset::from_tensor_slices(tensors);
}

/// A way to measure a row: one pass, and how many times what is counted happened in it.
using Pass = std::function<int64_t()>;

/// Reads all batches.
Pass reading(Dataset dataset) {
  return [dataset = std::move(dataset)] {
    int64_t batches = 0;
    data::Iterator iterator = dataset.iterator();
    for (data::Row row; iterator.next(row);) ++batches;
    return batches;
  };
}

/// Two epochs of `fit`.
Pass training_on_images(const Dataset& dataset) {
  auto model = keras::Sequential({
      keras::layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .input_shape = {64, 64, 3}}),
      keras::layers::MaxPooling2D({.pool_size = 2}),
      keras::layers::Flatten(),
      keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  return [=] {
    model.fit(dataset, {.epochs = 2, .verbose = 0});
    return 1;
  };
}

/// A step of a compiled function for each batch, whose loss is read.
Pass training_on_rows(const Dataset& dataset) {
  auto model = keras::Sequential({
      keras::layers::Dense({.units = 128, .activation = "relu", .input_shape = {100}}),
      keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  auto optimizer = keras::optimizers::Adam({.learning_rate = 0.001});
  const auto loss_of = keras::losses::SparseCategoricalCrossentropy();
  const auto step = function([=](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = loss_of(y, model(x));
    const auto variables = model.trainable_variables();
    optimizer.apply_gradients(keras::zip(tape.gradient(loss, variables), variables));
    return loss;
  });
  return [=] {
    float last = 0;
    for (const data::Element& batch : dataset)
      last = step(batch[0].tensor(), batch[1].tensor()).item<float>();
    require(last == last, "the loss is not a number");
    return int64_t{1};
  };
}

struct Row {
  const char* name;
  std::function<Dataset()> dataset;
  std::function<Pass(const Dataset&)> pass = reading;
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows_of_table{
      {"slices_b32", [] { return rows().batch(32); }},
      {"images_brightness_b32", [] { return brighter(images()).batch(32); }},
      {"images_brightness_autotune_b32",
       [] { return brighter(images(), {.num_parallel_calls = AUTOTUNE}).batch(32); }},
      {"mnist_shuffle_b128", [] { return mnist().shuffle(60'000).batch(128); }},
      {"rows_training", [] { return rows().batch(32).prefetch(AUTOTUNE); }, training_on_rows},
      {"images_training", [] { return brighter(images()).batch(32).prefetch(AUTOTUNE); },
       training_on_images},
      {"images_training_autotune",
       [] {
         return brighter(images(), {.num_parallel_calls = AUTOTUNE}).batch(32).prefetch(AUTOTUNE);
       },
       training_on_images},
  };
  return rows_of_table;
}

class Program {
 public:
  /// Microseconds of what a row counts.
  double measure(const std::string& name, double seconds) {
    Pass& pass = ready(name).second;
    std::vector<double> times;
    const Clock::time_point start = Clock::now();
    do {
      const Clock::time_point before = Clock::now();
      const int64_t count = pass();
      times.push_back(microseconds(Clock::now() - before) / static_cast<double>(count));
    } while (microseconds(Clock::now() - start) < seconds * 1e6);
    return median(times);
  }
  std::string explain(const std::string& name) { return ready(name).first.explain(); }

 private:
  std::pair<Dataset, Pass>& ready(const std::string& name) {
    const auto found = ready_.find(name);
    if (found != ready_.end()) return found->second;
    for (const Row& row : table())
      if (row.name == name) {
        const Dataset dataset = row.dataset();
        return ready_.emplace(name, std::pair(dataset, row.pass(dataset))).first->second;
      }
    fail<NotFoundError>("there is no row '{}'", name);
  }
  std::map<std::string, std::pair<Dataset, Pass>> ready_;
};

void serve(Program& program) {
  const auto reply = [](const Json& json) { std::cout << json.dump() << '\n' << std::flush; };
  reply(Json::Object{
      {"framework", "Alula"}, {"version", version()}, {"ways", Json::Array{Json("data")}}});
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const Json request = Json::parse(line, "the request");
      reply(Json::Object{{"us", program.measure(request.at("step").as_string(),
                                                request.at("seconds").as_number())}});
    } catch (const std::exception& error) {
      reply(Json::Object{{"error", error.what()}});
    }
  }
}

int run(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> options;
  for (const std::string& argument : arguments)
    if (argument.starts_with("--")) {
      const size_t equals = std::min(argument.find('='), argument.size());
      options[argument.substr(2, equals - 2)] =
          equals < argument.size() ? argument.substr(equals + 1) : "";
    }
  config::set_intra_op_parallelism_threads(2);
  Program program;
  if (options.contains("serve")) {
    serve(program);
    return 0;
  }
  const double seconds = options.contains("seconds") ? std::stod(options["seconds"]) : 1;
  fmt::print("Microseconds a batch, or a whole training\n");
  for (const Row& row : table()) {
    if (std::string_view(row.name).find(options["only"]) == std::string_view::npos) continue;
    program.measure(row.name, 0);  // warms up
    fmt::print("{:34}{:>14.2f}\n", row.name, program.measure(row.name, seconds));
    if (options.contains("explain")) fmt::print("{}\n", program.explain(row.name));
    std::cout << std::flush;
  }
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
