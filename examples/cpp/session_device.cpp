// A product of 1000x1000 matrices that is put on the GPU by name, in a session. Where there is no
// GPU, it runs on the CPU.
//
// Expected output:
// The session's product on /GPU:0 took <time>.
// It is float32[1000,1000], the mean <number>.
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
  tf::logging::set_level(tf::logging::Level::kSilent);  // where there is no GPU, the CPU does it
  v1::Session session;
  tf::Tensor c;
  {
    const auto scope = tf::device("/GPU:0");
    const tf::Tensor a = tf::random::uniform({1000, 1000}), b = tf::random::uniform({1000, 1000});
    c = tf::matmul(a, b);
  }
  session.run(v1::global_variables_initializer());  // there are none: nothing to do
  const double start = milliseconds();
  const tf::Tensor result = session.run(c).cpu();
  fmt::print("The session's product on /GPU:0 took {:.2f} ms.\n", milliseconds() - start);
  const float mean = session.run(tf::reduce_mean(result)).item<float>();
  fmt::print("It is {}, the mean {:.1f}.\n", result.spec(), mean);
}
