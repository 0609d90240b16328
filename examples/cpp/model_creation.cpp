// How long it takes to make a model, and a copy of it on each device.
//
// Expected output:
// Made a model of 14218 parameters in <time>.
// A copy on /CPU:0 took <time>, one on /GPU:0 <time>.
// The copies have weights of their own: yes
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace keras = tf::keras;

namespace {

double microseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

struct Copy {
  keras::Sequential model;
  double time;
};

Copy copy_on(tf::Device device, const keras::Sequential& model) {
  const auto scope = tf::device(device);
  const double start = microseconds();
  return {keras::models::clone_model(model), microseconds() - start};
}

}  // namespace

int main() {
  tf::logging::set_level(tf::logging::Level::kSilent);  // where there is no GPU, the CPU does it
  const double start = microseconds();
  const auto model = keras::Sequential({
      keras::layers::Dense({.units = 128, .activation = "relu", .input_shape = {100}}),
      keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  fmt::print("Made a model of {} parameters in {:.0f} us.\n", model.count_params(),
             microseconds() - start);

  const Copy cpu = copy_on("/CPU:0", model), gpu = copy_on("/GPU:0", model);
  fmt::print("A copy on /CPU:0 took {:.0f} us, one on /GPU:0 {:.0f} us.\n", cpu.time, gpu.time);

  const tf::Tensor a = cpu.model.get_weights()[0], b = model.get_weights()[0];
  const bool differ = tf::reduce_any(tf::not_equal(a, b)).item<bool>();
  fmt::print("The copies have weights of their own: {}\n", differ ? "yes" : "no");
}
