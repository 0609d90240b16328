#include "alula/runtime/dispatch.h"

#include <algorithm>

#include "alula/core/log.h"
#include "alula/runtime/denormals.h"
#include "alula/runtime/devices.h"

namespace alula {

constinit thread_local ThreadState t_state;

Listener::Listener() : outer_(t_state.listener) {
  t_state.listener = this;
  t_state.flags |= ThreadState::kListening;
}

Listener::~Listener() {
  t_state.listener = outer_;
  if (outer_ == nullptr) t_state.flags &= ~ThreadState::kListening;
}

void tell_listeners(const Op& op, Device device, TensorRefs inputs,
                    std::span<const Tensor> outputs) {
  for (Listener* listener = t_state.listener; listener != nullptr; listener = listener->outer_)
    listener->ran(op, device, inputs, outputs);
}

namespace {

/// At most this many operands need no heap to be passed on.
constexpr size_t kFew = 4;
using SpecPointers = InlineVector<const Spec*, kFew>;
using Views = InlineVector<View, kFew>;

void check_defined(const Op& op, TensorRefs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    require(inputs[i].defined(), "{}: input {} is not defined yet.", op.name(), i);
}

bool all_on_cpu(TensorRefs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].defined() || !inputs[i].device().is_cpu()) return false;
  return true;
}

SpecPointers specs_of(TensorRefs inputs) {
  SpecPointers specs;
  for (size_t i = 0; i < inputs.size(); ++i) specs.push_back(&inputs[i].spec());
  return specs;
}

SpecRefs refs(const SpecPointers& specs) { return SpecRefs({specs.data(), specs.size()}); }

Views views_of(TensorRefs inputs) {
  Views views;
  for (size_t i = 0; i < inputs.size(); ++i)
    views.push_back({&inputs[i].spec(), const_cast<void*>(inputs[i].data())});
  return views;
}

Views views_of(Tensors& outputs) {
  Views views;
  for (Tensor& output : outputs) views.push_back({&output.spec(), output.mutable_data()});
  return views;
}

void check_sizes(const Op& op, std::span<const Spec> outputs) {
  for (const Spec& output : outputs) output.shape.checked_size(op.name(), size_of(output.dtype));
}

[[noreturn]] void no_kernel(const Op& op, Device device, SpecRefs inputs) {
  fail<UnimplementedError>("{}: there is no kernel for it on {}. Got {}.", op.name(), device,
                           inputs);
}

/// Where an op runs: where the scope says, else where its operands are; beside tensors of the CPU,
/// those of another device decide.
Device place(TensorRefs inputs) {
  if (t_state.flags & ThreadState::kDeviceScope) return t_state.device;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].device().is_cpu()) return inputs[i].device();
  return kCPU;
}

void run_on_cpu(const Op& op, TensorRefs inputs, const SpecPointers& specs, Tensors& outputs) {
  const Kernel kernel = op.type().kernel(DeviceType::kCPU);
  if (kernel == nullptr) no_kernel(op, kCPU, refs(specs));
  const Views in = views_of(inputs), out = views_of(outputs);
  const FlushDenormals flush;
  kernel(op, {.inputs = in, .outputs = out});
}

Tensors allocate(const Op& op, const Specs& specs, Backend* backend) {
  Tensors outputs;
  check_sizes(op, specs);
  for (const Spec& spec : specs)
    outputs.push_back(backend == nullptr ? Tensor::uninitialized(spec)
                                         : Tensor::uninitialized(spec, *backend));
  return outputs;
}

/// Everything that an ordinary call on the CPU need not think about.
[[gnu::noinline]] Tensors dispatch_slowly(const Op& op, TensorRefs inputs) {
  check_defined(op, inputs);
  const SpecPointers specs = specs_of(inputs);
  const Device wanted = place(inputs);
  if (op.type().view) {
    Tensors outputs{inputs[0].to(wanted).reshaped(op.infer(refs(specs))[0].shape)};
    if (t_state.flags & ThreadState::kListening)
      tell_listeners(op, wanted, inputs, std::span(outputs.data(), outputs.size()));
    return outputs;
  }
  Backend* backend = wanted.is_cpu() ? nullptr : &backend_of(wanted);
  Device device = wanted;
  if (backend != nullptr && !backend->supports(op, refs(specs))) {
    if (!config::get_soft_device_placement()) no_kernel(op, wanted, refs(specs));
    logging::info("{}: there is no kernel for it on {}. Running on /CPU:0.", op.name(), wanted);
    backend = nullptr;
    device = kCPU;
  }

  InlineVector<Tensor, kFew> moved;
  InlineVector<const Tensor*, kFew> pointers;
  for (size_t i = 0; i < inputs.size(); ++i) moved.push_back(inputs[i].to(device));
  for (const Tensor& tensor : moved) pointers.push_back(&tensor);
  const TensorRefs here(std::span<const Tensor* const>(pointers.data(), pointers.size()));

  Tensors outputs = allocate(op, op.infer(refs(specs)), backend);
  if (backend == nullptr)
    run_on_cpu(op, here, specs, outputs);
  else
    backend->run(op, views_of(here), views_of(outputs));

  if (device != wanted)
    for (Tensor& output : outputs) output = output.to(wanted);
  if (t_state.flags & ThreadState::kListening)
    tell_listeners(op, device, inputs, std::span(outputs.data(), outputs.size()));
  return outputs;
}

}  // namespace

Tensors dispatch_all(const Op& op, TensorRefs inputs) {
  if (t_state.flags != 0 || !all_on_cpu(inputs)) [[unlikely]]
    return dispatch_slowly(op, inputs);
  const SpecPointers specs = specs_of(inputs);
  if (op.type().view) return {inputs[0].reshaped(op.infer(refs(specs))[0].shape)};
  Tensors outputs = allocate(op, op.infer(refs(specs)), nullptr);
  run_on_cpu(op, inputs, specs, outputs);
  return outputs;
}

Tensor dispatch(const Op& op, TensorRefs inputs) { return std::move(dispatch_all(op, inputs)[0]); }

Tensors call_all(const Op& op, std::span<const Tensor> inputs) {
  InlineVector<const Tensor*, 8> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  return dispatch_all(op, TensorRefs(std::span<const Tensor* const>(pointers.data(), pointers.size())));
}

}  // namespace alula
