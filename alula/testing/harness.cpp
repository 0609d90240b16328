#include "alula/testing/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "alula/autograd/tape.h"
#include "alula/ops/table.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/plugin.h"
#include "alula/testing/batched_harness.h"
#include "alula/testing/simulated_device.h"

namespace alula::testing {
namespace {

/// Which dtypes each op has run with on a device, in this test.
std::map<std::string, std::set<std::pair<DType, Device>>>& runs() {
  static std::map<std::string, std::set<std::pair<DType, Device>>> runs;
  return runs;
}

/// What the GPU has no kernel for yet, and how often it was asked to run it.
std::map<std::string, int>& not_on_gpu() {
  static std::map<std::string, int> counts;
  return counts;
}

/// Says at the end which ops the GPU left to the CPU: what is not tested is counted and printed.
class Summary final : public ::testing::Environment {
 public:
  void TearDown() override {
    if (not_on_gpu().empty()) return;
    fmt::print("Without a kernel on the GPU, and run on the CPU instead:\n");
    for (const auto& [name, count] : not_on_gpu()) fmt::print("  {} ({} calls)\n", name, count);
  }
};
[[maybe_unused]] const auto* const g_summary = ::testing::AddGlobalTestEnvironment(new Summary);

/// Notes what runs where, and with which inputs.
class Recorder final : public Listener {
 public:
  struct Call {
    std::unique_ptr<Op> op;
    std::vector<Tensor> inputs;
  };

  explicit Recorder(Device expected) : expected_(expected) {}
  const std::vector<Call>& calls() const { return calls_; }
  void ran(const Op& op, Device device, TensorRefs inputs,
           std::span<const Tensor> outputs) override {
    if (device != expected_ && !is_left_to_cpu(op, inputs))
      ADD_FAILURE() << op.name() << " ran on " << to_string(device) << ", not on "
                    << to_string(expected_);
    if (outputs.empty()) return;
    // The dtype of a call is its last input's: the first may be a condition.
    const DType dtype = inputs.size() > 0 ? inputs.back().dtype() : outputs[0].dtype();
    runs()[op.name()].emplace(dtype, expected_);
    for (size_t i = 0; i < inputs.size(); ++i)
      runs()[op.name()].emplace(inputs[i].dtype(), expected_);
    calls_.push_back({op.clone(), {}});
    for (size_t i = 0; i < inputs.size(); ++i) calls_.back().inputs.push_back(inputs[i]);
  }

 private:
  /// Whether host code computes it, or the GPU lacks a kernel for this call; other devices must
  /// have them all.
  bool is_left_to_cpu(const Op& op, TensorRefs inputs) const {
    if (op.type().host) return true;
    if (expected_.type != DeviceType::kGPU) return false;
    std::vector<const Spec*> specs;
    for (size_t i = 0; i < inputs.size(); ++i) specs.push_back(&inputs[i].spec());
    if (backend_of(expected_).supports(op, SpecRefs(specs))) return false;
    ++not_on_gpu()[op.name()];
    return true;
  }

  Device expected_;
  std::vector<Call> calls_;
};

bool close(double actual, double expected, double tolerance, double scale) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return actual == expected;
  return std::abs(actual - expected) <= tolerance * (std::abs(expected) + scale);
}

/// Adds a simulated device, and the GPU only where one is usable; a GPU test run asks for it by its
/// label.
std::vector<Device> find_devices() {
  sim();
  std::vector<Device> devices;
  for (Device device : config::list_physical_devices())
    if (device.index == 0) devices.push_back(device);
  if (std::getenv("ALULA_PLUGIN") != nullptr &&
      config::list_physical_devices(DeviceType::kGPU).empty())
    ADD_FAILURE() << "the plugin that ALULA_PLUGIN names gives no GPU: " << plugin::reason();
  return devices;
}

/// How many gradients this test has compared.
int& gradients_checked() {
  static int count = 0;
  return count;
}

/// Whether finite differences can be taken: some float64 inputs, not too large, all finite.
bool is_smooth(const std::vector<Tensor>& inputs) {
  constexpr int64_t kLargest = 4000;
  bool any = false;
  for (const Tensor& input : inputs) {
    if (input.size() > kLargest) return false;
    if (input.dtype() != float64) continue;
    any = true;
    for (double value : input.span<double>())
      if (!std::isfinite(value) || value == 0) return false;
  }
  return any;
}

double weighted_sum(const Tensor& y, const Array& weights) {
  const Array values = to_array(y);
  double sum = 0;
  for (int64_t i = 0; i < values.size(); ++i) sum += values.values[i] * weights.values[i];
  return sum;
}

/// Compares some elements of the gradient with respect to input `i` with central differences.
void compare_slopes(const Function& f, const std::vector<Tensor>& inputs, size_t i,
                    const Tensor& gradient, const Tensor& weights) {
  constexpr double kStep = 1e-5, kTolerance = 2e-6;
  constexpr int64_t kMost = 12;  // elements
  const DeviceScope scope(kCPU);
  const Array plain = to_array(weights), x = to_array(inputs[i]);
  const Array actual = gradient.defined() ? to_array(gradient) : Array(x.shape);
  EXPECT_EQ(actual.shape, x.shape);
  double scale = 1;
  for (double weight : plain.values) scale += std::abs(weight) / 16;
  for (int64_t k = 0; k < std::min(kMost, x.size()); ++k) {
    const int64_t at = x.size() <= kMost ? k : random_int(0, x.size() - 1);
    const auto moved_by = [&](double step) {
      Array shifted = x;
      shifted.values[at] += step;
      std::vector<Tensor> values = inputs;
      values[i] = to_tensor(shifted, float64);
      return weighted_sum(f(values), plain);
    };
    const double slope = (moved_by(kStep) - moved_by(-kStep)) / (2 * kStep);
    EXPECT_LE(std::abs(actual.values[at] - slope), kTolerance * (std::abs(slope) + scale))
        << "input " << i << ", element " << at << ": " << actual.values[at] << ", not " << slope
        << (gradient.defined() ? "" : " (there is no gradient)");
  }
}

DTypeSet dtypes_of(const std::string& name) {
  if (const Elementwise* function = find_elementwise(name)) return function->dtypes();
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    if (name == type->name) return type->dtypes;
  // A function that makes its programs itself, as cast does, takes what programs take.
  if (runs().contains(name)) return ElementwiseOp::kDTypes;
  ADD_FAILURE() << "there is no op named " << name;
  return {};
}

std::string test_name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }

bool is_host_op(const std::string& name) {
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    if (name == type->name) return type->host;
  return false;
}

/// Whether an op that is not elementwise takes float64 and has a gradient.
bool is_differentiable(const std::string& name) {
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    if (name == type->name) return type->differentiable && type->dtypes.contains(float64);
  return false;
}

}  // namespace

std::vector<Device> test_devices() {
  static const std::vector<Device> devices = find_devices();
  return devices;
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return 2e-3;
    case DType::kBFloat16: return 1.6e-2;
    case DType::kFloat32: return 2e-6;
    case DType::kFloat64: return 1e-13;
    default: return 0;
  }
}

void expect_equal(const Tensor& actual, const Array& expected, DType dtype, Tolerance tolerance) {
  ASSERT_TRUE(actual.defined());
  EXPECT_EQ(name_of(actual.dtype()), name_of(dtype));
  ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape));
  const double relative =
      tolerance.relative != 0 ? tolerance.relative : tolerance_of(actual.dtype());
  const Array values = to_array(actual);
  // What does not fit 16 bits is infinite there.
  const Array rounded = is_half(dtype) ? to_array(to_tensor(expected, dtype)) : expected;
  int failures = 0;
  for (int64_t i = 0; i < values.size() && failures < 5; ++i) {
    if (close(values.values[i], rounded.values[i], relative, tolerance.scale)) continue;
    ++failures;
    ADD_FAILURE() << "element " << i << " of " << fmt::format("{}", actual.spec()) << " is "
                  << values.values[i] << ", not " << rounded.values[i];
  }
}

void OpTest::check(const Function& f, const std::vector<Tensor>& inputs, const Reference& reference,
                   Tolerance tolerance) {
  check(f, inputs, reference, inputs[0].dtype(), tolerance);
}

void OpTest::check(const Function& f, const std::vector<Tensor>& inputs, const Reference& reference,
                   DType dtype, Tolerance tolerance) {
  std::vector<Array> arrays;
  std::string got;
  for (const Tensor& input : inputs) {
    arrays.push_back(to_array(input));
    got += fmt::format(" {}", input.spec());
  }
  const Array expected = reference(arrays);
  bool any_string = dtype == string;
  for (const Tensor& input : inputs) any_string = any_string || input.dtype() == string;
  for (Device device : test_devices()) {
    if (any_string && !device.is_cpu()) {  // strings stay on the host
      for (const Tensor& input : inputs)
        if (is_host_op(test_name())) runs()[test_name()].emplace(input.dtype(), device);
      continue;
    }
    SCOPED_TRACE(to_string(device) + ":" + got);
    std::vector<Tensor> there;
    for (const Tensor& input : inputs) there.push_back(input.to(device));
    Tensor result;
    const DeviceScope scope(device);
    Recorder recorder(device);
    result = f(there);
    recorder.stop_listening();
    if (device.is_cpu())
      for (const Recorder::Call& call : recorder.calls())
        check_batched(*call.op, call.inputs, tolerance);
    EXPECT_EQ(result.device(), device);
    expect_equal(result, expected, dtype, tolerance);
  }
  if (dtype == float64 && tolerance.gradient && is_smooth(inputs)) compare_gradient(f, inputs);
}

void OpTest::compare_gradient(const Function& f, const std::vector<Tensor>& inputs) {
  for (Device device : test_devices()) {
    if (device.type == DeviceType::kGPU) continue;  // kernels are compared there, gradients are ops
    SCOPED_TRACE("gradient on " + to_string(device));
    const DeviceScope scope(device);
    std::vector<Tensor> there, sources;
    GradientTape tape;
    for (const Tensor& input : inputs) {
      there.push_back(input.to(device));
      if (input.dtype() != float64) continue;
      sources.push_back(there.back());
      tape.watch(there.back());
    }
    const Tensor y = f(there);
    const Tensor weights = random_tensor(y.spec());  // differ, so that no mistake cancels out
    std::vector<Tensor> gradients;
    try {
      gradients = tape.gradient(y, sources, {.output_gradients = weights.to(device)});
    } catch (const UnimplementedError& error) {
      ADD_FAILURE() << error.what();
      return;
    }
    size_t k = 0;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].dtype() == float64) compare_slopes(f, inputs, i, gradients[k++], weights);
    ++gradients_checked();
  }
}

void OpTest::SetUp() {
  // References are exact, so that GPUs must not round the operands of products.
  config::enable_tensor_float_32_execution(false);
  gradients_checked() = 0;
}

void OpTest::TearDown() {
  const std::string name = test_name();
  const auto& ran = runs()[name];
  for (Device device : test_devices())
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!dtypes_of(name).contains(dtype) || ran.contains({dtype, device})) continue;
      if (dtype == string && !device.is_cpu()) continue;
      ADD_FAILURE() << name << " takes " << name_of(dtype) << ", but no case ran it on "
                    << to_string(device);
    }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_TRUE(!dtypes_of(name).contains(dtype) || batched_ops().contains({name, dtype}))
        << name << " takes " << name_of(dtype)
        << ", but no case compared many calls at once with single ones";
  }
  EXPECT_TRUE(gradients_checked() > 0 || !is_differentiable(name))
      << name << " has a gradient, but no case compared it";
  EXPECT_EQ(memory::statistics().overruns, 0) << "a kernel wrote past the end of a block";
  for (Device device : test_devices()) backend_of(device).synchronize();  // throws what is left
}

TestedOp::TestedOp(const char* name) { const_cast<std::set<std::string>&>(all()).insert(name); }

const std::set<std::string>& TestedOp::all() {
  static std::set<std::string> names;
  return names;
}

}  // namespace alula::testing
