#pragma once
#include <array>
#include <atomic>
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

/// What all ops of one class share: the name, the dtypes and the kernels. One static object a
/// class.
struct OpType {
  const char* name;
  DTypeSet dtypes;  // what the op is for; `infer` is what checks its inputs
  bool view;        // the output is the input with another shape: nothing is computed
  std::array<Kernel, kDeviceTypeCount> kernels{};
  const OpType* next = nullptr;  // the list of all types

  constexpr OpType(const char* name, DTypeSet dtypes, bool view)
      : name(name), dtypes(dtypes), view(view) {}
  Kernel kernel(DeviceType type) const { return kernels[static_cast<int>(type)]; }
};

/// The head of the list of all structured op types, in no particular order.
const OpType* all_op_types();

/// What a call of an op takes: arithmetic operations, and bytes read and written.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// An operation: a small struct whose fields are its attributes. It says what its outputs are, and
/// what it costs; it knows no device. Kernels, one a device, compute it.
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
  virtual std::unique_ptr<Op> clone() const = 0;

 protected:
  explicit Op(const OpType& type) : type_(&type) {}
  Op(const Op&) = default;
  Op& operator=(const Op&) = default;

 private:
  const OpType* type_;
};

/// The base of an op's struct. `Derived` has `static constexpr const char* kName`, the name of the
/// function that users call, and `static constexpr DTypeSet kDTypes`, what it takes; a view also
/// has `static constexpr bool kView = true`.
template <class Derived>
class OpOf : public Op {
 public:
  static OpType& static_type() { return type_; }
  std::unique_ptr<Op> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }

 protected:
  OpOf() : Op(type_) {}

 private:
  static inline constinit OpType type_{Derived::kName, Derived::kDTypes, requires {Derived::kView;
}
};  // namespace alula
}
;

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
