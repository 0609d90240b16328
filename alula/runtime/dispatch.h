#pragma once
#include <functional>

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

/// Stands in for variables while a function is traced: they are read as symbolic tensors, and what
/// is assigned to them is noted.
class VariableTracer {
 public:
  virtual ~VariableTracer() = default;
  virtual Tensor read(const Variable& variable) = 0;
  virtual void assign(const Variable& variable, const Tensor& value) = 0;
};

/// While one lives, a function being traced in this thread does not see what happens: for what is
/// made once, such as variables.
class WithoutTracing {
 public:
  WithoutTracing();
  ~WithoutTracing();
  WithoutTracing(const WithoutTracing&) = delete;
  WithoutTracing& operator=(const WithoutTracing&) = delete;

 private:
  bool was_tracing_;
};

/// What dispatch asks of its thread. `flags` is all that an ordinary call looks at.
struct ThreadState {
  enum Flags : uint32_t { kDeviceScope = 1, kListening = 2, kTracing = 4 };
  uint32_t flags = 0;
  Device device;
  Listener* listener = nullptr;
  VariableTracer* tracer = nullptr;

  bool tracing() const { return (flags & kTracing) != 0; }
};
extern constinit thread_local ThreadState t_state;

/// Runs an op with one output: infers, picks the device, allocates, runs.
Tensor dispatch(const Op& op, TensorRefs inputs);
/// The same for any number of outputs.
Tensors dispatch_all(const Op& op, TensorRefs inputs);

/// Runs an op whose outputs take the place of `targets`, which may be among its inputs. A target
/// that nobody else holds is written where it is. Nobody is told: such a call has no gradient.
void dispatch_into(const Op& op, TensorRefs inputs, std::span<Tensor* const> targets);

/// A tensor, or a variable as it is when a call reads it.
class TensorOrVariable {
 public:
  TensorOrVariable(const Tensor& tensor) : tensor_(&tensor) {}
  TensorOrVariable(const Variable& variable) : variable_(&variable) {}
  const Tensor* tensor() const { return tensor_; }
  const Variable* variable() const { return variable_; }

 private:
  const Tensor* tensor_ = nullptr;
  const Variable* variable_ = nullptr;
};

/// The same for variables, which may be among the inputs. While a function is traced, the call is
/// noted instead.
void update_variables(const Op& op, std::span<const TensorOrVariable> inputs,
                      std::span<const Variable> targets);

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

/// A call of an op whose inputs are not there yet.
class OpCall final : public Call {
 public:
  OpCall(const Op& op, std::vector<Tensor> inputs) : Call(std::move(inputs)), op_(op.clone()) {}
  Tensors run(std::span<const Tensor> values) const override;
  const std::shared_ptr<const Op>& op() const { return op_; }

 private:
  std::shared_ptr<const Op> op_;
};

/// A call that host code answers anew at every run.
class HostCall final : public Call {
 public:
  using Function = std::function<std::vector<Tensor>()>;
  explicit HostCall(Function function) : Call({}), function_(std::move(function)) {}
  Tensors run(std::span<const Tensor> values) const override;

 private:
  Function function_;
};

/// Symbolic tensors whose values `function` gives whenever the function that is being traced runs.
std::vector<Tensor> host_tensors(std::span<const Spec> specs, HostCall::Function function);

/// Notes a call of an op, whatever its inputs are: symbolic tensors for its outputs.
Tensors call_later(const Op& op, TensorRefs inputs);

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
