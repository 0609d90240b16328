#include "alula/runtime/dispatch.h"

#include <numeric>
#include <thread>

#include "alula/core/log.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/spans.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_ops.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Floats = std::vector<float>;

class Dispatch : public ::testing::Test {
 protected:
  void SetUp() override { test_devices(); }
  void TearDown() override { config::set_soft_device_placement(true); }
  const Device sim = "/SIM:0";
  const Tensor x = {1.f, 2.f, 3.f};
  const Tensor words = {"one", "three"};
};

/// Writes down what ran where.
class Diary final : public Listener {
 public:
  Diary(std::string name, std::vector<std::string>& lines)
      : name_(std::move(name)), lines_(lines) {}
  void ran(const Op& op, Device device, TensorRefs inputs,
           std::span<const Tensor> outputs) override {
    lines_.push_back(fmt::format("{}: {} on {}, {} -> {}", name_, op.name(), device,
                                 inputs[0].spec(), outputs[0].spec()));
  }

 private:
  std::string name_;
  std::vector<std::string>& lines_;
};

/// An op whose output nobody can hold.
struct Huge final : OpOf<Huge> {
  static constexpr const char* kName = "huge";
  static constexpr DTypeSet kDTypes = float32;
  Specs infer(SpecRefs) const override { return {{float32, {int64_t{1} << 40, int64_t{1} << 40}}}; }
};

/// 0, 1, …, as many as the input says: known only when it runs. And what it is told to give
/// besides.
struct CountUp final : OpOf<CountUp> {
  static constexpr const char* kName = "count_up";
  static constexpr DTypeSet kDTypes = int32;
  static constexpr bool kHost = true;
  std::vector<Tensor> also;
  Specs infer(SpecRefs inputs) const override {
    require(inputs[0] == Spec{int32, {}}, "{}: takes an int32 scalar. Got {}.", name(), inputs);
    return {{int32, {kUnknown}}};
  }
  Attributes attributes() const override { return {{"also", also.size()}}; }
  Tensors run_on_host(TensorRefs inputs) const override {
    std::vector<int32_t> numbers(static_cast<size_t>(inputs[0].item<int32_t>()));
    std::iota(numbers.begin(), numbers.end(), 0);
    Tensors outputs{Tensor(numbers)};
    if (!also.empty()) outputs = {also.begin(), also.end()};
    return outputs;
  }
};

/// How many strings there are, as one.
struct CountStrings final : OpOf<CountStrings> {
  static constexpr const char* kName = "count_strings";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  Specs infer(SpecRefs) const override { return {{string, {}}}; }
  Tensors run_on_host(TensorRefs inputs) const override {
    return {Tensor(std::to_string(inputs[0].size()))};
  }
};

}  // namespace

TEST_F(Dispatch, RunsHostOps) {
  const std::vector<int32_t> counted = {0, 1, 2};
  EXPECT_EQ(call(CountUp(), Tensor(3)).to_vector<int32_t>(), counted);
  const Tensor three(3);
  EXPECT_EQ(call_all(CountUp(), {&three, 1})[0].to_vector<int32_t>(), counted);
  EXPECT_EQ(call(CountUp(), Tensor(0)).size(), 0);
  EXPECT_ERROR(call(CountUp(), x), InvalidArgumentError, "Got float32[3]");

  const Tensor there = call(CountUp(), Tensor(3).to(sim));
  EXPECT_EQ(there.device(), sim) << "its results go where they are wanted";
  EXPECT_EQ(there.to_vector<int32_t>(), counted);
  for (bool soft : {true, false}) {
    config::set_soft_device_placement(soft);  // host code is no fallback
    const auto scope = device(sim);
    EXPECT_EQ(call(CountUp(), three).device(), sim);
    EXPECT_EQ(call(CountStrings(), words).device(), kCPU);
    EXPECT_EQ(call(CountStrings(), words).item<std::string>(), "2");
  }
}

TEST_F(Dispatch, TellsOfHostOps) {
  std::vector<std::string> lines;
  const Tensor four(4), there = four.to(sim);
  spans::Recording recording;
  {
    const Diary diary("diary", lines);
    call(CountUp(), four);
    call(CountUp(), there);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"diary: count_up on /CPU:0, int32[] -> int32[4]",
                                             "diary: count_up on /CPU:0, int32[] -> int32[4]"}));
  const std::vector<spans::Span> spans = recording.stop();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "count_up");
  EXPECT_EQ(spans[0].written, 16);

  const Tensor later = call(CountUp(), Tensor::symbolic({int32, {}}, Ref<Note>(new Symbol)));
  EXPECT_TRUE(later.is_symbolic());
  EXPECT_EQ(to_string(later.spec()), "int32[?]");
}

TEST_F(Dispatch, ChecksWhatHostOpsGive) {
  CountUp op;
  for (const auto& [also, text] : std::vector<std::pair<std::vector<Tensor>, std::string>>{
           {{x}, "count_up: output 0 should be int32[?]. Got float32[3]."},
           {{Tensor(1)}, "count_up: output 0 should be int32[?]. Got int32[]."},
           {{Tensor()}, "count_up: output 0 is not defined."},
           {{Tensor{1}, Tensor{1}}, "count_up: it gave 2 outputs, but has 1."}}) {
    op.also = also;
    EXPECT_ERROR(call(op, Tensor(1)), InvalidArgumentError, text);
  }
  EXPECT_ERROR(NoKernel().run_on_host(TensorRefs({})), InternalError, "not computed by host code");
}

TEST_F(Dispatch, AHostOpMayBeWrittenIntoATensor) {
  Tensor target = {0, 0, 0};
  const Tensor three(3);
  const Tensor* input = &three;
  Tensor* place = &target;
  dispatch_into(CountUp(), TensorRefs({&input, 1}), {&place, 1});
  EXPECT_EQ(target.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
}

TEST_F(Dispatch, FollowsTheOperands) {
  EXPECT_EQ(call(AddNumber(), x).device(), kCPU);
  const Tensor there = call(AddNumber(10), x.to(sim));
  EXPECT_EQ(there.device(), sim);
  EXPECT_EQ(there.to_vector<float>(), (Floats{11, 12, 13}));
}

TEST_F(Dispatch, ScopesNest) {
  std::vector<std::string> lines;
  {
    const auto outer = device(sim);
    EXPECT_EQ(call(AddNumber(), x).device(), sim);
    {
      const auto inner = device("/CPU:0");
      EXPECT_EQ(call(AddNumber(), x).device(), kCPU);
      EXPECT_EQ(call(AddNumber(), x.to(sim)).device(), kCPU) << "the scope decides";
    }
    EXPECT_EQ(call(AddNumber(), x).device(), sim);
  }
  EXPECT_EQ(call(AddNumber(), x).device(), kCPU);
}

TEST_F(Dispatch, AScopeIsItsThreadsOwn) {
  const auto scope = device(sim);
  std::thread([&] { EXPECT_EQ(call(AddNumber(), x).device(), kCPU); }).join();
}

TEST_F(Dispatch, OperandsOfTwoDevicesMeetOnTheOther) {
  const Tensor there = x.to(sim);
  for (const Tensor& sum : {call(AddBoth(), x, there), call(AddBoth(), there, x)}) {
    EXPECT_EQ(sum.device(), sim);
    EXPECT_EQ(sum.to_vector<float>(), (Floats{2, 4, 6}));
  }
  const auto scope = device("/CPU:0");
  EXPECT_EQ(call(AddBoth(), x, there).device(), kCPU);
}

TEST_F(Dispatch, SoftPlacementRunsOnTheCpuAndBringsTheResult) {
  std::vector<std::string> lines, messages;
  logging::set_level(logging::Level::kInfo);
  const auto handler = logging::set_handler(
      [&](logging::Level, std::string_view message) { messages.emplace_back(message); });
  Tensor lengths;
  {
    const Diary diary("diary", lines);
    const auto scope = device(sim);
    lengths = call(Lengths(), words);
  }
  logging::set_handler(handler);
  logging::set_level(logging::Level::kWarning);
  EXPECT_EQ(lengths.device(), sim);
  EXPECT_EQ(lengths.to_vector<int32_t>(), (std::vector<int32_t>{3, 5}));
  EXPECT_EQ(lines, (std::vector<std::string>{"diary: lengths on /CPU:0, string[2] -> int32[2]"}));
  EXPECT_EQ(messages, (std::vector<std::string>{
                          "lengths: there is no kernel for it on /SIM:0. Running on /CPU:0."}));
}

TEST_F(Dispatch, StringsStayOnTheCpuInAnyScope) {
  const Tensor numbers = Tensor({7, 42}).to(sim);
  const auto scope = device(sim);
  const Tensor text = call(AsStrings(), numbers);
  EXPECT_EQ(text.device(), kCPU);
  EXPECT_EQ(text.to_vector<std::string>(), (std::vector<std::string>{"7", "42"}));
  EXPECT_EQ(call(Flat(), words).device(), kCPU);
  config::set_soft_device_placement(false);
  EXPECT_ERROR(call(Flat(), words), InvalidArgumentError,
               "strings stay on the CPU. Got string[2], asked for /SIM:0.");
}

TEST_F(Dispatch, HardPlacementIsAnError) {
  config::set_soft_device_placement(false);
  const auto scope = device(sim);
  EXPECT_ERROR(call(Lengths(), words), UnimplementedError,
               "lengths: there is no kernel for it on /SIM:0. Got string[2].");
}

TEST_F(Dispatch, AnOpWithoutAKernelIsAnError) {
  const char* text = "no_kernel: there is no kernel for it on /CPU:0. Got float32[3].";
  EXPECT_ERROR(call(NoKernel(), x), UnimplementedError, text);
  EXPECT_ERROR(call_all(NoKernel(), std::array{x}), UnimplementedError, text);
  EXPECT_ERROR(call(NoKernel(), x.to(sim)), UnimplementedError, text);
}

TEST_F(Dispatch, AnUndefinedInputIsAnError) {
  EXPECT_ERROR(call(AddNumber(), Tensor()), InvalidArgumentError,
               "add_number: input 0 is not defined yet.");
  EXPECT_ERROR(call(AddBoth(), x.to(sim), Tensor()), InvalidArgumentError,
               "add_both: input 1 is not defined yet.");
}

TEST_F(Dispatch, WhatInferRefusesRunsNowhere) {
  const Tensor numbers = {1, 2};
  EXPECT_ERROR(call(AddNumber(), numbers), InvalidArgumentError,
               "add_number: takes float32. Got int32[2].");
  EXPECT_ERROR(call(AddNumber(), numbers.to(sim)), InvalidArgumentError, "takes float32");
}

TEST_F(Dispatch, AnOutputThatOverflowsIsAnError) {
  EXPECT_ERROR(call(Huge(), x), InvalidArgumentError, "huge");
  EXPECT_ERROR(call_all(Huge(), std::array{x}), InvalidArgumentError, "huge");
  EXPECT_ERROR(call(Huge(), x.to(sim)), Error, "huge");
}

TEST_F(Dispatch, AViewSharesTheElements) {
  const Tensor matrix = random_tensor({float32, {40, 30}});
  for (Device where : {kCPU, sim}) {
    const Tensor there = matrix.to(where);
    const Tensor flat = call(Flat(), there);
    EXPECT_EQ(flat.data(), there.data());
    EXPECT_EQ(flat.shape(), Shape{1200});
    EXPECT_EQ(flat.to_vector<float>(), matrix.to_vector<float>());
  }
  const auto scope = device(sim);
  EXPECT_EQ(call(Flat(), matrix).device(), sim);
}

TEST_F(Dispatch, ListenersHearInnermostFirst) {
  std::vector<std::string> lines;
  {
    const Diary outer("outer", lines);
    call(AddNumber(), x);
    {
      const Diary inner("inner", lines);
      call(Flat(), x.to(sim));
      std::thread([&] { call(AddNumber(), x); }).join();  // not this thread's: nobody hears
    }
    EXPECT_ERROR(call(NoKernel(), x), UnimplementedError, "");  // has not run
    call(AddBoth(), x, x);
  }
  call(AddNumber(), x);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "outer: add_number on /CPU:0, float32[3] -> float32[3]",
                       "inner: to on /SIM:0, float32[3] -> float32[3]",
                       "outer: to on /SIM:0, float32[3] -> float32[3]",
                       "inner: flat on /SIM:0, float32[3] -> float32[3]",
                       "outer: flat on /SIM:0, float32[3] -> float32[3]",
                       "outer: add_both on /CPU:0, float32[3] -> float32[3]",
                   }));
}

TEST_F(Dispatch, LongChainsOfCallsToComeCanBeLetGo) {
  Tensor y = Tensor::symbolic({float32, {3}}, Ref<Note>(new Symbol));
  for (int i = 0; i < 300'000; ++i) y = call(AddNumber(), y);
  EXPECT_TRUE(y.is_symbolic());
  y = {};
}
