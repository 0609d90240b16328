#pragma once
#include "alula/runtime/op.h"

namespace alula {

/// Told of every op that has run in its thread while it is installed: what the tape, the profiler
/// and tests stand on.
class Listener {
 public:
  Listener();
  virtual ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual void ran(const Op& op, Device device, TensorRefs inputs,
                   std::span<const Tensor> outputs) = 0;

 private:
  friend void tell_listeners(const Op&, Device, TensorRefs, std::span<const Tensor>);
  Listener* outer_;
};

/// What dispatch asks of its thread. `flags` is all that an ordinary call looks at.
struct ThreadState {
  enum Flags : uint32_t { kDeviceScope = 1, kListening = 2 };
  uint32_t flags = 0;
  Device device;
  Listener* listener = nullptr;
};
extern constinit thread_local ThreadState t_state;

/// Runs an op with one output: infers, picks the device, allocates, runs.
Tensor dispatch(const Op& op, TensorRefs inputs);
/// The same for any number of outputs.
Tensors dispatch_all(const Op& op, TensorRefs inputs);

/// Runs an op with one output on these tensors: `call(MatMul{…}, a, b)`.
template <class... T>
  requires(std::same_as<T, Tensor> && ...)
Tensor call(const Op& op, const T&... inputs) {
  if constexpr (sizeof...(inputs) == 0) {
    return dispatch(op, TensorRefs({}));
  } else {
    const Tensor* refs[] = {&inputs...};
    return dispatch(op, TensorRefs(refs));
  }
}

/// Runs an op with any number of outputs on any number of tensors.
Tensors call_all(const Op& op, std::span<const Tensor> inputs);

}  // namespace alula
