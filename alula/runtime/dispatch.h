#pragma once
#include "alula/runtime/op.h"

namespace alula {

class Variable;

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
  /// Told when a variable is read.
  virtual void read(const Variable& variable, const Tensor& value);
  /// From here on it hears nothing. It must be called in the thread that it was made in.
  void stop_listening();

 private:
  friend void tell_listeners(const Op&, Device, TensorRefs, std::span<const Tensor>);
  friend void tell_listeners(const Variable&, const Tensor&);
  Listener* outer_;
};

/// Tells the listeners of this thread of a call, as if it had run through dispatch.
void tell_listeners(const Op& op, Device device, TensorRefs inputs,
                    std::span<const Tensor> outputs);
void tell_listeners(const Variable& variable, const Tensor& value);

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

/// Runs an op whose outputs take the place of `targets`, which may be among its inputs. A target
/// that nobody else holds is written where it is. Nobody is told: such a call has no gradient.
void dispatch_into(const Op& op, TensorRefs inputs, std::span<Tensor* const> targets);

/// How a symbolic tensor came about: the call that will make it.
class Call {
 public:
  explicit Call(std::vector<Tensor> inputs) : inputs_(std::move(inputs)) {}
  virtual ~Call() = default;
  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// Makes the outputs from values for the inputs.
  virtual Tensors run(std::span<const Tensor> values) const = 0;

 private:
  std::vector<Tensor> inputs_;
};

/// The note of a symbolic tensor: which output of which call it is. No call: it is an input.
struct Symbol final : Note {
  std::shared_ptr<const Call> call;
  int index = 0;
  Symbol() = default;
  Symbol(std::shared_ptr<const Call> call, int index) : call(std::move(call)), index(index) {}
};

/// Symbolic tensors of these specs, for the outputs of a call.
Tensors symbolic_outputs(const std::shared_ptr<const Call>& call, std::span<const Spec> specs);

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
