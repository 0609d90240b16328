// What `make demo` shows: a tiny and a larger matrix product on the CPU and on the GPU, timed and
// checked.
//
// Expected output:
// Alula <number>.<number>, CPU, <number> threads
//
// 2x2 product
//   /CPU:0  <time>
//   /GPU:0  <time> ...
// [[19. 22.]
//  [43. 50.]]
//
// 1024x1024 product
//   /CPU:0  <time>  <number> GFLOP/s
//   /GPU:0  <time>  <number> GFLOP/s ...
// The results agree.
//
// Next: ...
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "alula/alula.h"

namespace tf = alula;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string text_of(double time) {
  if (time < 1e-6) return fmt::format("{:8.0f} ns", time * 1e9);
  return time < 1e-3 ? fmt::format("{:8.2f} us", time * 1e6)
                     : fmt::format("{:8.2f} ms", time * 1e3);
}

struct Timed {
  tf::Tensor result;
  double time = 0;
  std::string note;
};

/// The median of some products on a device, the way to it and back included.
Timed multiply(const tf::Tensor& a, const tf::Tensor& b, tf::Device device, int repeats) {
  const auto scope = tf::device(device);
  Timed timed;
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    const double start = seconds();
    const tf::Tensor product = tf::matmul(a, b);
    timed.note = product.device() == device ? "" : "  (no usable GPU: on the CPU)";
    timed.result = product.cpu();
    times.push_back(seconds() - start);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  timed.time = times[repeats / 2];
  return timed;
}

}  // namespace

int main() {
  tf::logging::set_level(tf::logging::Level::kSilent);  // the note says where a product really ran
  fmt::print("Alula {}, {}\n\n", tf::version(), tf::backend_of(tf::kCPU).description());

  const tf::Tensor a = {{1.0, 2.0}, {3.0, 4.0}}, b = {{5.0, 6.0}, {7.0, 8.0}};
  fmt::print("2x2 product\n");
  for (tf::Device device : {tf::Device("/CPU:0"), tf::Device("/GPU:0")}) {
    const Timed small = multiply(a, b, device, 1001);
    fmt::print("  {}  {}{}\n", device, text_of(small.time), small.note);
  }
  fmt::print("{}\n\n", multiply(a, b, "/GPU:0", 1).result);

  const int64_t size = 1024;
  const tf::Tensor x = tf::random::uniform({size, size}), y = tf::random::uniform({size, size});
  const double operations = 2.0 * std::pow(size, 3);
  std::vector<tf::Tensor> products;
  fmt::print("1024x1024 product\n");
  for (tf::Device device : {tf::Device("/CPU:0"), tf::Device("/GPU:0")}) {
    const Timed large = multiply(x, y, device, 21);
    products.push_back(large.result);
    fmt::print("  {}  {}  {:.0f} GFLOP/s{}\n", device, text_of(large.time),
               operations / large.time * 1e-9, large.note);
  }
  // A GPU rounds the factors to 10 bits (TF32), as TensorFlow does; the sums are around 256.
  const float difference = tf::reduce_max(tf::abs(products[0] - products[1])).item<float>();
  fmt::print("The results {}.\n\n", difference < 0.5f ? "agree" : "differ");
  fmt::print(
      "Next: read examples/cpp, run build/release/bin/eager, or write a program of your own "
      "(README.md).\n");
  return difference < 0.5f ? 0 : 1;
}
