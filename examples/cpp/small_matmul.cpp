// Multiplies two 2x2 matrices on the CPU and on the GPU, and times both. Where there is no GPU, the
// second product runs on the CPU as well, and one line on the standard error says why.
//
// A product as small as this takes a fraction of a microsecond on a CPU. On a GPU the way there and
// back takes many times longer than the arithmetic, which is why Alula leaves small work where it
// is.
//
// Expected output:
// CPU execution time: <time> seconds
// GPU execution time: <time> seconds
// CPU result:
// [[19. 22.]
//  [43. 50.]]
// GPU result:
// [[19. 22.]
//  [43. 50.]]
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const tf::Tensor a = {{1.0, 2.0}, {3.0, 4.0}};
  const tf::Tensor b = {{5.0, 6.0}, {7.0, 8.0}};
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
    on_gpu = tf::matmul(a, b);
    fmt::print("GPU execution time: {:.6f} seconds\n", seconds() - start);
  }
  fmt::print("CPU result:\n{}\n", on_cpu);
  fmt::print("GPU result:\n{}\n", on_gpu);
}
