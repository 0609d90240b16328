// Multiplies two 1024x1024 matrices of random numbers on the CPU and on the GPU, times both, and
// checks that the results agree.
//
// Expected output:
// CPU execution time: <time> seconds
// GPU execution time: <time> seconds
// CPU result:
// [[<number> <number> <number> ...]
// ...
// GPU result:
// [[<number> <number> <number> ...]
// ...
// The results agree.
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const int64_t size = 1024;
  const tf::Tensor a = tf::random::uniform({size, size});
  const tf::Tensor b = tf::random::uniform({size, size});
  tf::Tensor on_cpu, on_gpu;
  {
    const auto scope = tf::device("/CPU:0");
    const double start = seconds();
    on_cpu = tf::matmul(a, b);
    fmt::print("CPU execution time: {:.6f} seconds\n", seconds() - start);
  }
  {
    const auto scope = tf::device("/GPU:0");
    const double start = seconds();
    on_gpu = tf::matmul(a, b).cpu();  // ops on a GPU run in the background: reading waits for them
    fmt::print("GPU execution time: {:.6f} seconds\n", seconds() - start);
  }
  fmt::print("CPU result:\n{}\n", on_cpu);
  fmt::print("GPU result:\n{}\n", on_gpu);

  // The GPU rounds the factors to 10 bits (TF32), as TensorFlow does; the sums are around 256.
  const tf::Tensor difference = tf::reduce_max(tf::abs(on_cpu - on_gpu));
  fmt::print("The results {}.\n", difference.item<float>() < 0.5f ? "agree" : "differ");
}
