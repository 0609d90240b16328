// A million additions and a million products of 10x10 matrices, one at a time: what a framework
// costs when the arithmetic itself costs next to nothing.
//
// Expected output:
// Time of fine grained operation: <time> seconds
// Time of matmul operation: <time> seconds
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const int iterations = 1'000'000;
  const tf::Tensor a = tf::random::normal({10, 10});
  const tf::Tensor b = tf::random::normal({10, 10});
  tf::Tensor c;

  double start = seconds();
  for (int i = 0; i < iterations; ++i) c = a + b;
  fmt::print("Time of fine grained operation: {:.2f} seconds\n", seconds() - start);

  start = seconds();
  for (int i = 0; i < iterations; ++i) c = tf::matmul(a, b);
  fmt::print("Time of matmul operation: {:.2f} seconds\n", seconds() - start);
}
