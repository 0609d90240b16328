#include "alula/ops/host_function.h"

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

std::vector<Tensor> same_tensors(const std::vector<Tensor>& inputs) { return inputs; }

}  // namespace

OP_TEST(host_function) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const Tensor x = random_tensor({static_cast<DType>(i), {2, 3}});
    const auto twice = [&](const std::vector<Tensor>& in) {
      return host_function(same_tensors, {in[0], in[0]}, {x.spec(), x.spec()})[1];
    };
    check(twice, {x}, [](const auto& in) { return in[0]; }, {.gradient = false});
  }
  const auto any_shape = [](const std::vector<Tensor>& in) {
    return host_function([](const Tensor& x) { return x * 2; }, in[0], {float32, {kUnknown, 3}});
  };
  check(any_shape, {random_tensor({float32, {4, 3}})}, [](const auto& in) {
    Array y = in[0];
    for (double& value : y.values) value *= 2;
    return y;
  });
}

TEST(HostFunction, IsCalledEachTime) {
  int calls = 0;
  const auto count = [&](const std::vector<Tensor>&) {
    return std::vector<Tensor>{Tensor(++calls)};
  };
  for (int i = 1; i <= 3; ++i)
    EXPECT_EQ(host_function(count, {}, {{int32, {}}})[0].item<int32_t>(), i);
  const auto nothing = [&](const std::vector<Tensor>& in) {
    calls += in[0].item<int32_t>();
    return std::vector<Tensor>();
  };
  EXPECT_TRUE(host_function(nothing, {Tensor(10)}, {}).empty());
  EXPECT_EQ(calls, 13);
}

TEST(HostFunction, SaysWhatIsWrong) {
  EXPECT_ERROR(host_function(HostFunctionOfTensors(), {}, {}), InvalidArgumentError,
               "host_function: there is no function to call");
  EXPECT_ERROR(host_function(same_tensors, {Tensor(1)}, {{float32, {}}}), InvalidArgumentError,
               "host_function: output 0 should be float32[]. Got int32[].");
  EXPECT_ERROR(host_function(same_tensors, {Tensor(1)}, {}), InvalidArgumentError,
               "host_function: the function returned 1 tensors, but output_specs has 0.");
  EXPECT_ERROR(host_function(same_tensors, {Tensor()}, {{int32, {}}}), InvalidArgumentError,
               "host_function: input 0 is not defined yet");
  const auto fails = [](const std::vector<Tensor>&) -> std::vector<Tensor> {
    throw std::out_of_range("my own");
  };
  EXPECT_ERROR(host_function(fails, {}, {{int32, {}}}), std::out_of_range, "my own");
}
