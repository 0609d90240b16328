#include "alula/runtime/dispatch.h"

#include <algorithm>
#include <optional>

#include "alula/core/log.h"
#include "alula/runtime/building.h"
#include "alula/runtime/by_ops.h"
#include "alula/runtime/denormals.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/spans.h"
#include "alula/runtime/unheard.h"
#include "alula/runtime/variable.h"

namespace alula {

constinit thread_local ThreadState t_state;

Listener::Listener() : outer_(t_state.listener) {
  t_state.listener = this;
  t_state.flags |= ThreadState::kListening;
}

WithoutTracing::WithoutTracing() : was_tracing_(t_state.tracing()) {
  t_state.flags &= ~ThreadState::kTracing;
}
WithoutTracing::~WithoutTracing() {
  if (was_tracing_) t_state.flags |= ThreadState::kTracing;
}

Listener::~Listener() { stop_listening(); }

void Listener::stop_listening() {
  Listener** link = &t_state.listener;
  while (*link != nullptr && *link != this) link = &(*link)->outer_;
  if (*link == this) *link = outer_;
  if (t_state.listener == nullptr) t_state.flags &= ~ThreadState::kListening;
}

void Listener::read(const Variable&, const Tensor&) {}

void tell_listeners(const Op& op, Device device, TensorRefs inputs,
                    std::span<const Tensor> outputs) {
  for (Listener* listener = t_state.listener; listener != nullptr; listener = listener->outer_)
    listener->ran(op, device, inputs, outputs);
}

void tell_listeners(const Variable& variable, const Tensor& value) {
  for (Listener* listener = t_state.listener; listener != nullptr; listener = listener->outer_)
    listener->read(variable, value);
}

Tensors symbolic_outputs(const std::shared_ptr<const Call>& call, std::span<const Spec> specs) {
  Tensors outputs;
  for (const Spec& spec : specs)
    outputs.push_back(
        Tensor::symbolic(spec, Ref<Note>(new Symbol(call, static_cast<int>(outputs.size())))));
  return outputs;
}

namespace {

/// At most this many operands need no heap to be passed on.
constexpr size_t kFew = 4;
/// As many elements as a kernel computes in some tens of nanoseconds.
constexpr int64_t kTiny = 256;
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

bool any_symbolic(TensorRefs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_symbolic()) return true;
  return false;
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

void check_size(const Op& op, const Spec& output) {
  output.shape.checked_size(op.name(), size_of(output.dtype));
}

SpecPointers specs_of(std::span<const View> views) {
  SpecPointers specs;
  for (const View& view : views) specs.push_back(view.spec);
  return specs;
}

[[noreturn]] void no_kernel(const Op& op, Device device, const SpecPointers& specs) {
  const SpecRefs inputs = refs(specs);
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

/// Strings live on the CPU alone. With soft placement, an op that makes some is simply run there.
bool stays_on_cpu(const Tensor& tensor) {
  return tensor.dtype() == string && config::get_soft_device_placement();
}

/// What host code gives may stand for more than its elements: a note on it says so, which a copy
/// would not have.
bool has_note(const Tensor& tensor) { return tensor.note<Note>() != nullptr; }

/// Calls the CPU's kernel.
void run_on_cpu(const Op& op, std::span<const View> inputs, std::span<const View> outputs) {
  const Kernel kernel = op.type().kernel(DeviceType::kCPU);
  if (kernel == nullptr) [[unlikely]]
    no_kernel(op, kCPU, specs_of(inputs));
  // A few elements are done sooner than the processor's mode is switched there and back.
  if (outputs.size() == 1 && outputs[0].size() <= kTiny) {
    kernel(op, {.inputs = inputs, .outputs = outputs});
  } else {
    const FlushDenormals flush;
    kernel(op, {.inputs = inputs, .outputs = outputs});
  }
}

Tensors allocate(const Op& op, const Specs& specs, Backend* backend) {
  Tensors outputs;
  for (const Spec& spec : specs) {
    check_size(op, spec);
    outputs.push_back(backend == nullptr ? Tensor::uninitialized(spec)
                                         : Tensor::uninitialized(spec, *backend));
  }
  return outputs;
}

void check_host_outputs(const Op& op, const Tensors& outputs, const Specs& inferred) {
  require(outputs.size() == inferred.size(), "{}: it gave {} outputs, but has {}.", op.name(),
          outputs.size(), inferred.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    require(outputs[i].defined(), "{}: output {} is not defined.", op.name(), i);
    const Spec& got = outputs[i].spec();
    require(got.dtype == inferred[i].dtype && compatible(got.shape, inferred[i].shape),
            "{}: output {} should be {}. Got {}.", op.name(), i, inferred[i], got);
  }
}

/// Calls the host code of an op with inputs that are on the CPU; its outputs are there, too, and so
/// is what it computes on the way, whatever scope it is called in.
Tensors run_host_op(const Op& op, TensorRefs inputs) {
  std::optional<DeviceScope> scope;
  if (t_state.flags & ThreadState::kDeviceScope) scope.emplace(kCPU);
  const Specs inferred = op.infer(refs(specs_of(inputs)));
  const spans::Stopwatch watch(nullptr);
  Tensors outputs = op.run_on_host(inputs);
  check_host_outputs(op, outputs, inferred);
  for (Tensor& output : outputs) output = moved(output, kCPU);
  watch.stop(op, views_of(inputs), views_of(outputs));
  return outputs;
}

/// What a view or a host op gives, on the CPU.
[[gnu::noinline]] Tensors run_without_kernel(const Op& op, TensorRefs inputs) {
  if (op.type().host) return run_host_op(op, inputs);
  return {inputs[0].reshaped(op.infer(refs(specs_of(inputs)))[0].shape)};
}

/// What an op's kernel gives on the device of `backend`, where the inputs are; null for the CPU.
Tensors run_kernel(const Op& op, TensorRefs inputs, Backend* backend) {
  Tensors outputs = allocate(op, op.infer(refs(specs_of(inputs))), backend);
  const Views in = views_of(inputs), out = views_of(outputs);
  const spans::Stopwatch watch(backend);
  if (backend == nullptr)
    run_on_cpu(op, in, out);
  else
    backend->run(op, in, out);
  watch.stop(op, in, out);
  return outputs;
}

/// What a host op gives if other ops can compute it on a device.
std::optional<Tensors> run_by_ops(const Op& op, TensorRefs inputs, Device device) {
  const ByOps by_ops = by_ops_of(op.type());
  if (by_ops == nullptr) return {};
  std::vector<Tensor> operands;
  std::vector<const Tensor*> pointers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() == string) return {};
    operands.push_back(moved(inputs[i], device));
  }
  for (const Tensor& tensor : operands) pointers.push_back(&tensor);
  const DeviceScope scope(device);
  const Unheard unheard;  // they are the op's own business
  return by_ops(op, TensorRefs(pointers));
}

/// Everything that an ordinary call on the CPU need not think about.
[[gnu::noinline]] Tensors dispatch_slowly(const Op& op, TensorRefs inputs) {
  check_defined(op, inputs);
  const SpecPointers specs = specs_of(inputs);
  if (any_symbolic(inputs) || graph_builder() != nullptr ||
      (op.type().effects && t_state.tracing()))
    return call_later(op, inputs);
  Device wanted = place(inputs);
  if (op.type().view) {
    if (stays_on_cpu(inputs[0])) wanted = kCPU;
    Tensors outputs{moved(inputs[0], wanted).reshaped(op.infer(refs(specs))[0].shape)};
    if (t_state.flags & ThreadState::kListening)
      tell_listeners(op, wanted, inputs, std::span(outputs.data(), outputs.size()));
    return outputs;
  }
  const bool host = op.type().host;
  if (host && !wanted.is_cpu()) {
    op.infer(refs(specs));  // says what is wrong with the inputs
    if (std::optional<Tensors> outputs = run_by_ops(op, inputs, wanted)) {
      if (t_state.flags & ThreadState::kListening)
        tell_listeners(op, wanted, inputs, std::span(outputs->data(), outputs->size()));
      return *outputs;
    }
  }
  Backend* backend = wanted.is_cpu() || host ? nullptr : &backend_of(wanted);
  Device device = host ? kCPU : wanted;
  if (backend != nullptr && !backend->supports(op, refs(specs))) {
    if (!config::get_soft_device_placement()) no_kernel(op, wanted, specs);
    logging::info("{}: there is no kernel for it on {}. Running on /CPU:0.", op.name(), wanted);
    backend = nullptr;
    device = kCPU;
  }

  InlineVector<Tensor, kFew> operands;
  InlineVector<const Tensor*, kFew> pointers;
  for (size_t i = 0; i < inputs.size(); ++i) operands.push_back(moved(inputs[i], device));
  for (const Tensor& tensor : operands) pointers.push_back(&tensor);
  const TensorRefs here(std::span<const Tensor* const>(pointers.data(), pointers.size()));

  Tensors outputs = host ? run_host_op(op, here) : run_kernel(op, here, backend);

  if (device != wanted)
    for (Tensor& output : outputs) {
      const bool is_hosts = host && (output.dtype() == string || has_note(output));
      if (!is_hosts && !stays_on_cpu(output)) output = moved(output, wanted);
    }
  if (t_state.flags & ThreadState::kListening)
    tell_listeners(op, device, inputs, std::span(outputs.data(), outputs.size()));
  return outputs;
}

}  // namespace

Tensors dispatch_all(const Op& op, TensorRefs inputs) {
  if ((t_state.flags | spans::process_sinks()) != 0 || !all_on_cpu(inputs)) [[unlikely]]
    return dispatch_slowly(op, inputs);
  if (op.type().without_kernels) return run_without_kernel(op, inputs);
  const SpecPointers specs = specs_of(inputs);
  Tensors outputs = allocate(op, op.infer(refs(specs)), nullptr);
  run_on_cpu(op, views_of(inputs), views_of(outputs));
  return outputs;
}

Tensors OpCall::run(std::span<const Tensor> values) const { return call_all(*op_, values); }

Tensors HostCall::run(std::span<const Tensor>) const {
  const std::vector<Tensor> values = function_();
  return {values.begin(), values.end()};
}

std::vector<Tensor> host_tensors(std::span<const Spec> specs, HostCall::Function function) {
  const Tensors made = symbolic_outputs(std::make_shared<HostCall>(std::move(function)), specs);
  // Their numbers say when they were made: whether inside a function that is traced in another one.
  for (const Tensor& tensor : made) static_cast<void>(tensor.id());
  return {made.begin(), made.end()};
}

namespace {

/// Calls that led to one another are deleted one after the other, not one within the other: a chain
/// of them may be longer than a stack is deep.
void delete_call(const OpCall* call) {
  thread_local std::vector<const OpCall*>* waiting = nullptr;
  if (waiting != nullptr) return waiting->push_back(call);
  std::vector<const OpCall*> list{call};
  waiting = &list;
  while (!list.empty()) {
    const OpCall* last = list.back();
    list.pop_back();
    delete last;
  }
  waiting = nullptr;
}

}  // namespace

Tensors call_later(const Op& op, TensorRefs inputs) {
  std::vector<Tensor> kept;
  for (size_t i = 0; i < inputs.size(); ++i) kept.push_back(inputs[i]);
  const std::shared_ptr<const OpCall> call(new OpCall(op, std::move(kept)), delete_call);
  Tensors outputs = symbolic_outputs(call, op.infer(refs(specs_of(inputs))));
  if (GraphBuilder* builder = graph_builder())
    builder->noted(op, std::span(outputs.data(), outputs.size()));
  if (t_state.flags & ThreadState::kListening)
    tell_listeners(op, DeviceType::kSymbolic, inputs, std::span(outputs.data(), outputs.size()));
  return outputs;
}

void update_variables(const Op& op, std::span<const TensorOrVariable> inputs,
                      std::span<const Variable> targets) {
  if (t_state.tracing()) {
    std::vector<Tensor> values;
    for (const TensorOrVariable& input : inputs)
      values.push_back(input.tensor() != nullptr ? *input.tensor()
                                                 : t_state.tracer->read(*input.variable()));
    const Tensors outputs = call_all(op, values);
    for (size_t i = 0; i < targets.size(); ++i) t_state.tracer->assign(targets[i], outputs[i]);
    return;
  }
  InlineVector<const Tensor*, 64> pointers;
  InlineVector<Tensor*, 64> places;
  for (const TensorOrVariable& input : inputs)
    pointers.push_back(input.tensor() != nullptr ? input.tensor() : &input.variable()->storage());
  for (const Variable& target : targets) places.push_back(&target.storage());
  dispatch_into(op, TensorRefs(std::span<const Tensor* const>(pointers.data(), pointers.size())),
                std::span<Tensor* const>(places.data(), places.size()));
}

void dispatch_into(const Op& op, TensorRefs inputs, std::span<Tensor* const> targets) {
  check_defined(op, inputs);
  const SpecPointers specs = specs_of(inputs);
  const Specs inferred = op.infer(refs(specs));
  const Device device = place(inputs);
  Backend* backend = device.is_cpu() ? nullptr : &backend_of(device);
  bool here =
      !op.type().without_kernels && (backend == nullptr || backend->supports(op, refs(specs)));
  for (size_t i = 0; i < inputs.size(); ++i) here = here && inputs[i].device() == device;
  if (!here) {  // the long way, with moves
    std::vector<Tensor> values;
    for (size_t i = 0; i < inputs.size(); ++i) values.push_back(inputs[i]);
    Tensors outputs = call_all(op, values);
    for (size_t i = 0; i < targets.size(); ++i)
      *targets[i] = outputs[i].reshaped(outputs[i].shape());  // nothing leads to this call
    return;
  }
  const Views in = views_of(inputs);
  Views out;
  std::vector<std::pair<Tensor*, Tensor>> fresh;  // put in place when all is done
  for (size_t i = 0; i < targets.size(); ++i) {
    Tensor& target = *targets[i];
    if (target.unique() && target.device() == device && target.spec() == inferred[i]) {
      out.push_back({&target.spec(), target.mutable_data()});
      continue;
    }
    fresh.emplace_back(&target, allocate(op, {inferred[i]}, backend)[0]);
    out.push_back({&inferred[i], fresh.back().second.mutable_data()});
  }
  const spans::Stopwatch watch(backend);
  if (backend == nullptr)
    run_on_cpu(op, in, out);
  else
    backend->run(op, in, out);
  watch.stop(op, in, out);
  for (auto& [target, value] : fresh) *target = std::move(value);
}

/// The shortest way through: what a small op costs is mostly what happens here.
Tensor dispatch(const Op& op, TensorRefs inputs) {
  const size_t count = inputs.size();
  if ((t_state.flags | spans::process_sinks()) != 0 || count > kFew || op.type().without_kernels ||
      !all_on_cpu(inputs)) [[unlikely]]
    return std::move(dispatch_all(op, inputs)[0]);
  const Spec* specs[kFew];
  View views[kFew + 1];
  for (size_t i = 0; i < count; ++i) {
    specs[i] = &inputs[i].spec();
    views[i] = {specs[i], const_cast<void*>(inputs[i].data())};
  }
  const Specs inferred = op.infer(SpecRefs({specs, count}));
  check_size(op, inferred[0]);
  Tensor output = Tensor::uninitialized(inferred[0]);
  views[kFew] = {&output.spec(), output.mutable_data()};
  run_on_cpu(op, {views, count}, {views + kFew, 1});
  return output;
}

Tensors call_all(const Op& op, std::span<const Tensor> inputs) {
  InlineVector<const Tensor*, 8> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  return dispatch_all(op,
                      TensorRefs(std::span<const Tensor* const>(pointers.data(), pointers.size())));
}

}  // namespace alula
