#include "alula/runtime/autocast.h"

#include "alula/runtime/dispatch.h"

namespace alula {
namespace {

constinit thread_local DType t_dtype = float32;
constinit thread_local AutocastScope::Cast t_cast = nullptr;

void set_active(bool active) {
  if (active)
    t_state.flags |= kAutocasting;
  else
    t_state.flags &= ~kAutocasting;
}

}  // namespace

AutocastScope::AutocastScope() : outer_{t_dtype, t_cast, (t_state.flags & kAutocasting) != 0} {
  set_active(false);
}

AutocastScope::AutocastScope(DType dtype, Cast cast) : AutocastScope() {
  t_dtype = dtype;
  t_cast = cast;
  set_active(true);
}

AutocastScope::~AutocastScope() {
  t_dtype = outer_.dtype;
  t_cast = outer_.cast;
  set_active(outer_.active);
}

Tensor autocast(const Tensor& value) {
  return is_floating(value.dtype()) && value.dtype() != t_dtype ? t_cast(value, t_dtype) : value;
}

Tensor as_stored(const Tensor& value, const Variable& variable) {
  const bool differs = (t_state.flags & kAutocasting) && value.defined() &&
                       is_floating(value.dtype()) && is_floating(variable.dtype()) &&
                       value.dtype() != variable.dtype();
  return differs ? t_cast(value, variable.dtype()) : value;
}

Tensor stored_value(const Variable& variable) {
  const AutocastScope as_it_is;
  return variable.value();
}

}  // namespace alula
