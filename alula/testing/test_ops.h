#pragma once
#include <algorithm>
#include <string>

#include "alula/runtime/dispatch.h"

/// Small ops for tests of the machinery, which must not depend on the real ones. They are on no
/// list.
namespace alula::testing {

/// x + number, of float32.
struct AddNumber final : OpOf<AddNumber> {
  static constexpr const char* kName = "add_number";
  static constexpr DTypeSet kDTypes = float32;
  float number = 1;

  explicit AddNumber(float number = 1) : number(number) {}
  Specs infer(SpecRefs inputs) const override {
    require(inputs[0].dtype == float32, "{}: takes float32. Got {}.", kName, inputs[0]);
    return {inputs[0]};
  }
  Attributes attributes() const override { return {{"number", number}}; }
};

/// a + b, of float32 and one shape.
struct AddBoth final : OpOf<AddBoth> {
  static constexpr const char* kName = "add_both";
  static constexpr DTypeSet kDTypes = float32;
  Specs infer(SpecRefs inputs) const override { return {inputs[0]}; }
};

/// The lengths of strings, as int32.
struct Lengths final : OpOf<Lengths> {
  static constexpr const char* kName = "lengths";
  static constexpr DTypeSet kDTypes = string;
  Specs infer(SpecRefs inputs) const override { return {inputs[0].with(int32)}; }
};

/// Each int32 as a string.
struct AsStrings final : OpOf<AsStrings> {
  static constexpr const char* kName = "as_strings";
  static constexpr DTypeSet kDTypes = int32;
  Specs infer(SpecRefs inputs) const override { return {inputs[0].with(string)}; }
};

/// All elements in one dimension: a view.
struct Flat final : OpOf<Flat> {
  static constexpr const char* kName = "flat";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kView = true;
  Specs infer(SpecRefs inputs) const override {
    return {inputs[0].with(Shape{inputs[0].shape.size()})};
  }
};

/// An op that no device has a kernel for.
struct NoKernel final : OpOf<NoKernel> {
  static constexpr const char* kName = "no_kernel";
  static constexpr DTypeSet kDTypes = kAnyType;
  Specs infer(SpecRefs inputs) const override { return {inputs[0]}; }
};

namespace internal {

inline const RegisterKernel<DeviceType::kCPU, AddNumber> add_number{
    [](const AddNumber& op, const KernelCall& call) {
      const float* x = call.inputs[0].as<float>();
      std::transform(x, x + call.inputs[0].size(), call.outputs[0].as<float>(),
                     [&](float x) { return x + op.number; });
    }};

inline const RegisterKernel<DeviceType::kCPU, AddBoth> add_both{
    [](const AddBoth&, const KernelCall& call) {
      const float* a = call.inputs[0].as<float>();
      std::transform(a, a + call.inputs[0].size(), call.inputs[1].as<float>(),
                     call.outputs[0].as<float>(), std::plus<>());
    }};

inline const RegisterKernel<DeviceType::kCPU, Lengths> lengths{
    [](const Lengths&, const KernelCall& call) {
      const auto* text = call.inputs[0].as<std::string>();
      std::transform(text, text + call.inputs[0].size(), call.outputs[0].as<int32_t>(),
                     [](const std::string& s) { return static_cast<int32_t>(s.size()); });
    }};

inline const RegisterKernel<DeviceType::kCPU, AsStrings> as_strings{
    [](const AsStrings&, const KernelCall& call) {
      const auto* x = call.inputs[0].as<int32_t>();
      std::transform(x, x + call.inputs[0].size(), call.outputs[0].as<std::string>(),
                     [](int32_t x) { return std::to_string(x); });
    }};

}  // namespace internal
}  // namespace alula::testing
