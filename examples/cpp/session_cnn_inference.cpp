// A small convolutional network, built as a graph of placeholders and variables, classifies one
// image in a session. The batch's size is left open: a session compiles once a size.
//
// Expected output:
// The first image took <time>, the second <time>.
// Probabilities: float32[1,10], their sum is 1.00
// A batch of 32: float32[32,10]
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace v1 = tf::compat::v1;

namespace {

double microseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

}  // namespace

int main() {
  v1::disable_eager_execution();
  const tf::Tensor image = v1::placeholder(tf::float32, {tf::kUnknown, 28, 28, 1});
  const auto kernel = v1::get_variable("kernel", {.shape = {3, 3, 1, 32}});
  const auto bias =
      v1::get_variable("bias", {.shape = {32}, .initializer = v1::zeros_initializer()});
  const auto weights = v1::get_variable("weights", {.shape = {13 * 13 * 32, 10}});
  const tf::Tensor hidden = tf::relu(tf::conv2d(image, kernel) + bias);
  const tf::Tensor pooled = tf::max_pool2d(hidden, {.ksize = 2, .strides = 2});
  const tf::Tensor flat = tf::reshape(pooled, {-1, 13 * 13 * 32});
  const tf::Tensor prediction = tf::softmax(tf::matmul(flat, weights));

  v1::Session session;
  session.run(v1::global_variables_initializer());
  const tf::Tensor pixels = session.run(tf::random::uniform({1, 28, 28, 1}));
  const double start = microseconds();
  const tf::Tensor first = session.run(prediction, {.feed_dict = {{image, pixels}}});
  const double middle = microseconds();
  session.run(prediction, {.feed_dict = {{image, pixels}}});
  fmt::print("The first image took {:.0f} us, the second {:.0f} us.\n", middle - start,
             microseconds() - middle);

  const float sum = session.run(tf::reduce_sum(first)).item<float>();
  fmt::print("Probabilities: {}, their sum is {:.2f}\n", first.spec(), sum);
  const tf::Tensor batch = session.run(tf::random::uniform({32, 28, 28, 1}));
  fmt::print("A batch of 32: {}\n",
             session.run(prediction, {.feed_dict = {{image, batch}}}).spec());
}
