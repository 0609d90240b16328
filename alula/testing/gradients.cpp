#include "alula/testing/gradients.h"

#include <algorithm>
#include <cmath>

#include "alula/autograd/tape.h"

namespace alula::testing {
namespace {

class Counter final : public Listener {
 public:
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
    ++counts[op.name()];
  }
  std::map<std::string, int> counts;
};

}  // namespace

Tensor gradient_of(const Function& f, const std::vector<Tensor>& inputs, size_t wanted,
                   const Tensor& dy) {
  GradientTape tape;
  tape.watch(inputs[wanted]);
  const Tensor y = f(inputs);
  return tape.gradient(
      y, inputs[wanted],
      {.output_gradients = dy, .unconnected_gradients = UnconnectedGradients::kZero});
}

void compare_second_gradient(const Function& f, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> with_dy = inputs;
  with_dy.push_back(random_tensor(f(inputs).spec()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != float64) continue;
    SCOPED_TRACE(fmt::format("the gradient with respect to input {}", i));
    OpTest::compare_gradient(
        [&](const std::vector<Tensor>& in) {
          return gradient_of(f, {in.begin(), in.end() - 1}, i, in.back());
        },
        with_dy);
  }
}

bool is_spread(const Tensor& x) {
  constexpr double kLeastGap = 1e-4, kLargest = 1000;
  std::vector<double> values = to_array(x).values;
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) > kLargest) return false;
    if (i > 0 && values[i] - values[i - 1] < kLeastGap) return false;
  }
  return true;
}

std::map<std::string, int> ops_of_gradient(const Function& f, const std::vector<Tensor>& inputs,
                                           const std::set<size_t>& watched) {
  GradientTape tape;
  std::vector<Tensor> sources;
  for (size_t i : watched) {
    tape.watch(inputs[i]);
    sources.push_back(inputs[i]);
  }
  const Tensor y = f(inputs);
  const Counter counter;
  tape.gradient(y, sources, {.output_gradients = random_tensor(y.spec())});
  return counter.counts;
}

}  // namespace alula::testing
