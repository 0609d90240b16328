#pragma once
#include "python/src/array.h"
#include "python/src/convert.h"

namespace alula::python {

/// What of an argument decides which trace of a function fits it.
enum class Part : uint8_t {
  kTensor,    // its spec
  kVariable,  // which one it is
  kValue,     // a number or text of Python: its type and value
  kObject,    // which one it is
  kList,      // its length; its items follow
  kTuple,     // its type and length; its items follow
  kDict,      // its type and length; keys and values follow
};

/// A part of the arguments of a call, by reference.
struct Token {
  Part part;
  PyObject* object = nullptr;  // of containers: their type
  size_t count = 0;            // of containers: their length; of tensors: their index
};

/// A tensor among the arguments, or an array that is made one once it is known how long it is used.
class Operand {
 public:
  explicit Operand(Tensor tensor) : tensor_(std::move(tensor)) {}
  explicit Operand(std::unique_ptr<Array> array) : array_(std::move(array)) {}
  const Spec& spec() const { return array_ != nullptr ? array_->spec() : tensor_.spec(); }
  bool is_symbolic() const { return array_ == nullptr && tensor_.is_symbolic(); }
  /// `brief`: nobody keeps it beyond the call, so that an array need not be copied.
  const Tensor& tensor(bool brief) {
    if (!tensor_.defined()) tensor_ = brief ? array_->alias() : array_->copy();
    return tensor_;
  }

 private:
  Tensor tensor_;
  std::unique_ptr<Array> array_;
};

/// A part of the arguments that a trace was made for. An object is held weakly where it can be, and
/// its address alone says nothing, as another one may be there by now.
class KeptPart {
 public:
  KeptPart(const Token& token, std::span<const Operand> operands);
  bool fits(const Token& token, std::span<const Operand> operands) const;
  bool is_object(PyObject* object) const {
    return part_ == Part::kObject && object_ == object && is_alive();
  }
  bool is_alive() const;
  std::string describe() const;
  int visit(visitproc visit, void* arg) const;

 private:
  Part part_;
  size_t count_;
  Spec spec_;
  Variable variable_;
  PyObject* object_ = nullptr;
  nb::object held_;  // what keeps it: itself, or a weak reference
  bool weak_ = false;
};
using KeptParts = std::vector<KeptPart>;

/// The arguments of a call, flat.
class Arguments {
 public:
  /// `like`: the parts of an earlier call, where much is usually the same; or null.
  explicit Arguments(const KeptParts* like) : like_(like) {}
  void add(nb::handle value);
  bool fit(const KeptParts& parts) const;
  KeptParts kept() const;
  bool any_symbolic() const;

  InlineVector<Token, 16> tokens;
  std::vector<Operand> operands;

 private:
  void add_container(nb::handle value);
  void add_other(nb::handle value);
  void push(Part part, nb::handle object, size_t count = 0) {
    tokens.push_back({part, object.ptr(), count});
  }

  const KeptParts* like_;
};

/// Takes a nest of arguments apart in the order of `Arguments`, and puts it together again with
/// other tensors in the place of tensors and arrays.
nb::object with_tensors(nb::handle value, std::span<const Tensor>& tensors);

/// The form of what a function returned: where its tensors go.
class Form {
 public:
  Form() = default;
  /// Takes a result apart; numbers and texts become tensors.
  Form(nb::handle result, std::vector<Tensor>& tensors);
  nb::object pack(std::span<const Tensor> tensors) const;
  int visit(visitproc visit, void* arg) const;

 private:
  enum class Kind : uint8_t { kTensor, kNone, kList, kTuple, kFields, kDict };
  Kind kind_ = Kind::kNone;
  size_t index_ = 0;
  nb::object type_;
  std::vector<nb::object> keys_;
  std::vector<Form> parts_;
};

}  // namespace alula::python
