// The product of two 1000x1000 matrices on the CPU, built as a graph before there is a session, and
// timed in one.
//
// Expected output:
// CPU computation time: <time> seconds
// The product is float32[1000,1000].
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace v1 = tf::compat::v1;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const int64_t size = 1000;
  const tf::Tensor matrix_a = tf::random::uniform({size, size});
  const tf::Tensor matrix_b = tf::random::uniform({size, size});

  v1::disable_eager_execution();
  tf::Tensor c;
  {
    const auto scope = tf::device("/CPU:0");
    c = tf::matmul(matrix_a, matrix_b);
  }

  v1::Session session;
  const double start = seconds();
  const tf::Tensor result = session.run(c);
  fmt::print("CPU computation time: {:.6f} seconds\n", seconds() - start);
  fmt::print("The product is {}.\n", result.spec());
}
