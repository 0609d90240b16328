// The product of two 1000x1000 matrices, first as a graph that a session runs, as TensorFlow 1 had
// it, then as a plain call. A session compiles what it runs for the first time; that is part of the
// first time printed.
//
// Expected output:
// In a session: <time>, and <time> when it was run again.
// As a plain call: <time>.
// The results agree.
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace v1 = tf::compat::v1;

namespace {

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace

int main() {
  const tf::Tensor a = tf::random::uniform({1000, 1000}), b = tf::random::uniform({1000, 1000});

  tf::Tensor in_session;
  {
    v1::Session session;
    const tf::Tensor x = v1::placeholder(tf::float32, {1000, 1000}, {.name = "x"});
    const tf::Tensor c = tf::matmul(x, b);  // while the session lives, ops are only noted
    const v1::RunOptions options{.feed_dict = {{x, a}}};
    const double start = milliseconds();
    in_session = session.run(c, options);
    const double middle = milliseconds();
    session.run(c, options);
    fmt::print("In a session: {:.2f} ms, and {:.2f} ms when it was run again.\n", middle - start,
               milliseconds() - middle);
  }

  const double start = milliseconds();
  const tf::Tensor plain = tf::matmul(a, b);
  fmt::print("As a plain call: {:.2f} ms.\n", milliseconds() - start);

  const float difference = tf::reduce_max(tf::abs(in_session - plain)).item<float>();
  fmt::print("The results {}.\n", difference < 1e-3F ? "agree" : "differ");
}
