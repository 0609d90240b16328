#pragma once
#include <array>
#include <atomic>
#include <concepts>
#include <memory>
#include <span>

#include "alula/core/tensor.h"

namespace alula {

class Op;

/// References to specs or tensors, as they come to an op: no copies are made to look at them.
template <class T>
class Refs {
 public:
  Refs(std::span<const T* const> refs) : refs_(refs) {}
  size_t size() const { return refs_.size(); }
  const T& operator[](size_t i) const { return *refs_[i]; }
  const T& back() const { return *refs_.back(); }

 private:
  std::span<const T* const> refs_;
};
using SpecRefs = Refs<Spec>;
using TensorRefs = Refs<Tensor>;

/// "float32[2,3], int32[]": what a call got.
std::string to_string(const SpecRefs& specs);

/// A tensor as a kernel sees it: what it is, and where its elements are on the kernel's device.
struct View {
  const Spec* spec = nullptr;
  void* data = nullptr;

  DType dtype() const { return spec->dtype; }
  const Shape& shape() const { return spec->shape; }
  int64_t size() const { return spec->shape.size(); }
  int64_t bytes() const { return spec->bytes(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// One call of a kernel.
struct KernelCall {
  std::span<const View> inputs;
  std::span<const View> outputs;
  void* queue = nullptr;  // the backend's own: a stream on a GPU, nothing on the CPU
};

/// Computes an op's outputs on one type of device. The inputs have passed the op's `infer`.
using Kernel = void (*)(const Op& op, const KernelCall& call);

/// What sets some ops apart.
struct OpTraits {
  bool view = false;           // the output is the input with another shape: nothing is computed
  bool host = false;           // computed by host code, `run_on_host`: it has no kernels
  bool differentiable = true;  // has a gradient
  bool random = false;         // draws numbers: every call gives others
  bool effects = false;        // every call counts: none is left out, merged or made beforehand
};

/// What all ops of one class share: the name, the dtypes and the kernels. One static object a
/// class.
struct OpType : OpTraits {
  const char* name;
  DTypeSet dtypes;       // what the op is for; `infer` is what checks its inputs
  bool without_kernels;  // a view or a host op: one test for what is neither
  std::array<Kernel, kDeviceTypeCount> kernels{};
  const OpType* next = nullptr;  // the list of all types

  constexpr OpType(const char* name, DTypeSet dtypes, const OpTraits& traits)
      : OpTraits(traits), name(name), dtypes(dtypes), without_kernels(traits.view || traits.host) {}
  Kernel kernel(DeviceType type) const { return kernels[static_cast<int>(type)]; }
};

/// The head of the list of all structured op types, in no particular order.
const OpType* all_op_types();

/// What a call of an op takes: arithmetic operations, and bytes read and written.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// Some of an op's inputs or outputs, by position. Those from 63 on are in or out together.
class IndexSet {
 public:
  constexpr IndexSet() = default;
  constexpr IndexSet(std::initializer_list<size_t> positions) {
    for (size_t i : positions) add(i);
  }
  static constexpr IndexSet all() {
    IndexSet set;
    set.bits_ = ~uint64_t{0};
    return set;
  }
  constexpr void add(size_t i) { bits_ |= bit(i); }
  constexpr bool contains(size_t i) const { return (bits_ & bit(i)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint64_t bits() const { return bits_; }
  constexpr bool operator==(const IndexSet&) const = default;

 private:
  static constexpr uint64_t bit(size_t i) { return uint64_t{1} << (i < 63 ? i : 63); }
  uint64_t bits_ = 0;
};

/// The values of a call that its gradient reads. A tape lets go of the others.
struct Needs {
  IndexSet inputs = IndexSet::all();
  IndexSet outputs = IndexSet::all();
};

/// A tensor of a recorded call: what it was, and its value where the gradient needs it.
struct Kept {
  uint64_t id = 0;
  Spec spec;
  Tensor value;
  bool wanted = false;  // of an input: whether its gradient is asked for
};

/// A recorded call, as its op's gradient sees it.
class Recorded {
 public:
  Recorded(std::span<const Kept> inputs, std::span<const Kept> outputs, std::span<const Tensor> dy)
      : inputs_(inputs), outputs_(outputs), dy_(dy) {}

  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }
  /// The values: those that the op's `needs` names.
  const Tensor& input(size_t i = 0) const { return value(inputs_[i]); }
  const Tensor& output(size_t i = 0) const { return value(outputs_[i]); }
  const Spec& input_spec(size_t i = 0) const { return inputs_[i].spec; }
  const Spec& output_spec(size_t i = 0) const { return outputs_[i].spec; }
  /// The gradient with respect to output i: zeros where nothing depends on it.
  const Tensor& dy(size_t i = 0) const { return dy_[i]; }
  std::span<const Tensor> all_dy() const { return dy_; }
  /// Whether the gradient with respect to input i is asked for. Others need not be computed.
  bool wants(size_t i) const { return inputs_[i].wanted; }

 private:
  static const Tensor& value(const Kept& kept) {
    require<InternalError>(kept.value.defined(), "gradient: a value was not kept; see `needs`.");
    return kept.value;
  }

  std::span<const Kept> inputs_, outputs_;
  std::span<const Tensor> dy_;
};

/// One a input; undefined where it is not asked for, or where there is none.
using Gradients = InlineVector<Tensor, 4>;

/// A field of an op as text: what graphs are printed with, and ops compared by.
struct Attribute {
  template <class T>
  Attribute(const char* name, const T& value) : name(name), value(fmt::format("{}", value)) {}
  bool operator==(const Attribute&) const = default;

  std::string name;
  std::string value;
};
using Attributes = std::vector<Attribute>;

/// An input of many calls made at once: the same for all, or one a call along a leading dimension.
struct BatchedInput {
  Tensor value;
  bool batched = false;
};

/// An operation: a small struct whose fields are its attributes. It says what its outputs are, what
/// its gradient is in terms of other ops, and what it costs; it knows no device. Kernels, one a
/// device, compute it.
class Op {
 public:
  virtual ~Op() = default;
  const OpType& type() const { return *type_; }
  /// The name that users know: "matmul".
  virtual const char* name() const { return type_->name; }
  /// The outputs' specs, or an error that says what is wrong with the inputs. Dimensions may be
  /// unknown, and then so are the outputs' that depend on them.
  virtual Specs infer(SpecRefs inputs) const = 0;
  /// By default one operation an output element, and each element moved once.
  virtual Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const;
  /// The gradients with respect to the inputs, made of ops. An op without one is marked
  /// `kDifferentiable = false`.
  virtual Gradients gradient(const Recorded& call) const;
  /// What `gradient` reads when those with respect to `wanted` are asked for.
  virtual Needs needs(IndexSet wanted) const;
  /// Many calls at once, made of ops: each output has a leading dimension of `size`, and so have
  /// the inputs that differ from call to call.
  virtual Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const;
  /// All fields that change what it computes, with the names that users know.
  virtual Attributes attributes() const { return {}; }
  /// Of a host op: its outputs from inputs on the CPU, which have passed `infer`. Dimensions that
  /// `infer` left unknown are as they turn out.
  virtual Tensors run_on_host(TensorRefs inputs) const;
  /// Of an op that draws random numbers: the same op with the next ones. None for others.
  virtual std::unique_ptr<Op> drawn_again(SpecRefs inputs) const;
  virtual std::unique_ptr<Op> clone() const = 0;

 protected:
  explicit Op(const OpType& type) : type_(&type) {}
  Op(const Op&) = default;
  Op& operator=(const Op&) = default;

 private:
  const OpType* type_;
};

/// Whether two ops compute the same from the same inputs. An op that draws random numbers or has
/// effects is like no other.
bool same(const Op& a, const Op& b);

/// "strides=[2,2], padding=SAME"
std::string to_string(const Attributes& attributes);

namespace internal {
template <class Derived>
constexpr OpTraits traits_of() {
  OpTraits traits;
  if constexpr (requires { Derived::kView; }) traits.view = Derived::kView;
  if constexpr (requires { Derived::kHost; }) traits.host = Derived::kHost;
  if constexpr (requires { Derived::kDifferentiable; })
    traits.differentiable = Derived::kDifferentiable;
  if constexpr (requires { Derived::kRandom; }) traits.random = Derived::kRandom;
  if constexpr (requires { Derived::kEffects; }) traits.effects = Derived::kEffects;
  return traits;
}
template <class Derived>
constexpr bool has_attributes() {  // of its own, or of a base other than Op
  return !std::same_as<decltype(&Derived::attributes), Attributes (Op::*)() const>;
}
}  // namespace internal

/// The base of an op's struct. `Derived` has `static constexpr const char* kName`, the name of the
/// function that users call, and `static constexpr DTypeSet kDTypes`, what it takes; a view also
/// has `static constexpr bool kView = true`, an op that host code computes `kHost = true`, one
/// without a gradient `kDifferentiable = false`, one that draws random numbers `kRandom = true`,
/// one with effects `kEffects = true`.
template <class Derived>
class OpOf : public Op {
 public:
  static OpType& static_type() { return type_; }
  std::unique_ptr<Op> clone() const override {
    static_assert(sizeof(Derived) == sizeof(Op) || internal::has_attributes<Derived>(),
                  "an op with fields needs attributes()");
    // A pointer to Op from the start: one class of smart pointers, not one for every op.
    return std::unique_ptr<Op>(new Derived(static_cast<const Derived&>(*this)));
  }

 protected:
  OpOf() : Op(type_) {}

 private:
  static inline constinit OpType type_ =
      OpType(Derived::kName, Derived::kDTypes, internal::traits_of<Derived>());
};

namespace internal {
void add_op_type(OpType& type);
}

/// Puts an op's type on the list of all types: one static object in the op's source file.
template <class Derived>
struct RegisterOp {
  RegisterOp() { internal::add_op_type(Derived::static_type()); }
};

/// Makes `run` the kernel of an op on a type of device: one static object in the kernel's source
/// file.
///   const RegisterKernel<DeviceType::kCPU, MatMul> registered{[](const MatMul& op, const
///   KernelCall& call) {…}};
template <DeviceType kDevice, class Derived>
struct RegisterKernel {
  using Typed = void (*)(const Derived& op, const KernelCall& call);
  explicit RegisterKernel(Typed run) {
    run_ = run;
    Derived::static_type().kernels[static_cast<int>(kDevice)] =
        [](const Op& op, const KernelCall& call) { run_(static_cast<const Derived&>(op), call); };
  }

 private:
  static inline Typed run_ = nullptr;
};

}  // namespace alula

template <>
struct fmt::formatter<alula::SpecRefs> : alula::TextFormatter<alula::SpecRefs> {};
