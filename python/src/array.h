#pragma once
#include "python/src/common.h"

namespace alula::python {

/// A tensor over memory that `owner` keeps: it must not change while the tensor lives.
Tensor alias(Held owner, void* data, const Spec& spec);

/// An array that another library owns, seen through Python's buffer protocol.
class Array {
 public:
  /// `defined()` is false if the object has no buffer, or one of another kind of elements.
  explicit Array(nb::handle object);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  bool defined() const { return defined_; }
  const Spec& spec() const { return spec_; }
  /// A tensor with a copy of its elements.
  Tensor copy() const;
  /// A tensor over the elements themselves, which must not change while it lives; a copy where they
  /// are not in order.
  Tensor alias() const;

 private:
  bool in_order() const;

  Held owner_;
  Py_buffer buffer_{};
  bool open_ = false, defined_ = false;
  Spec spec_;
};

}  // namespace alula::python
