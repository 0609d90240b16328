#pragma once
#include <functional>

#include "alula/runtime/dispatch.h"

namespace alula {

/// C++ code as a function of tensors that have values.
using HostFunctionOfTensors = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Calls C++ code on the values of tensors, on the host: at once, or at every run of the function
/// that is being traced, and for every element of a map. `output_specs` says what it returns;
/// dimensions may be unknown (kUnknown) until it runs. There is no gradient. Errors that it throws
/// arrive unchanged. It may be called by several threads at once if what contains it is.
///   const auto first_word = [](const std::vector<Tensor>& in) {
///     const auto text = in[0].item<std::string>();
///     return std::vector{Tensor(std::string_view(text).substr(0, text.find(' ')))};
///   };
///   host_function(first_word, {line}, {{string, {}}})[0]
std::vector<Tensor> host_function(HostFunctionOfTensors function, const std::vector<Tensor>& inputs,
                                  const std::vector<Spec>& output_specs);

/// The same for one tensor.
///   host_function([](const Tensor& x) { return Tensor(x.str()); }, x, {string, {}})
Tensor host_function(std::function<Tensor(const Tensor&)> function, const Tensor& input,
                     const Spec& output_spec);

struct HostFunction final : OpOf<HostFunction> {
  static constexpr const char* kName = "host_function";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kHost = true;
  static constexpr bool kEffects = true;
  static constexpr bool kDifferentiable = false;
  std::shared_ptr<const HostFunctionOfTensors> function;
  std::vector<Spec> output_specs;
  /// One without outputs still gives an int32 scalar, which stands for its call in a graph.
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
