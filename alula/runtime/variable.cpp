#include "alula/runtime/variable.h"

#include "alula/runtime/autocast.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/dispatch.h"

namespace alula {
namespace {

/// The same elements as a tensor of its own, so that nothing leads from it to how it was computed.
Tensor detached(const Tensor& value) { return value.reshaped(value.shape()); }

/// A reading that somebody wants to know of, or to see otherwise.
Tensor read_noted(const Variable& variable, const Tensor& stored) {
  const Tensor value = t_state.tracing() ? t_state.tracer->read(variable) : stored;
  if (t_state.tracing() || (t_state.flags & ThreadState::kListening))
    tell_listeners(variable, value);
  return t_state.flags & kAutocasting ? autocast(value) : value;
}

}  // namespace

Variable::Variable(const Tensor& initial_value, const VariableOptions& options) {
  require(initial_value.defined() && !initial_value.is_symbolic(),
          "Variable: '{}' needs an initial value.", options.name);
  state_ = std::make_shared<State>(State{options.name, detached(initial_value), options.trainable});
}

void Variable::fail_undefined() {
  fail<FailedPreconditionError>("Variable: it is not defined yet; it has no value.");
}

Tensor Variable::value() const {
  const State& state = this->state();
  constexpr uint32_t kNoted = ThreadState::kTracing | ThreadState::kListening | kAutocasting;
  if (t_state.flags & kNoted) [[unlikely]]
    return read_noted(*this, state.value);
  return state.value;
}

void Variable::check(const char* who, const Tensor& value) const {
  require(value.defined(), "{}: the value for '{}' is not defined yet.", who, name());
  require(value.spec() == spec(), "{}: the variable '{}' is {}. Got {}. {}", who, name(), spec(),
          value.spec(), value.dtype() == dtype() ? "Use reshape()." : "Use cast().");
}

void Variable::assign(const Tensor& given) {
  Tensor recast;
  if (t_state.flags & kAutocasting) [[unlikely]]
    recast = as_stored(given, *this);
  const Tensor& value = recast.defined() ? recast : given;
  check("assign", value);
  if (t_state.tracing()) return t_state.tracer->assign(*this, value);
  Tensor& storage = state().value;
  // On a device it keeps its place, which captured graphs know it by.
  if (!storage.device().is_cpu() && storage.unique()) {
    Backend& backend = backend_of(storage.device());
    const Tensor here =
        value.device().is_cpu() || value.device() == storage.device() ? value : moved(value, kCPU);
    const auto bytes = static_cast<size_t>(here.bytes());
    if (here.device().is_cpu())
      backend.upload(storage.mutable_data(), here);
    else
      backend.copy(storage.mutable_data(), here.data(), bytes);
    return;
  }
  storage = detached(moved(value, device()));
}

}  // namespace alula
