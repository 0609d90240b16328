#include "python/src/array.h"

#include <cstring>

#include "alula/core/memory_source.h"

namespace alula::python {
namespace {

/// The dtype of an element that a format of Python's module struct describes; false if there is
/// none.
bool dtype_of_format(const char* format, size_t bytes, DType& dtype) {
  if (format == nullptr) return dtype = uint8, true;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (*format == '\0' || format[1] != '\0') return false;
  const auto sized = [&](DType one, DType two, DType four, DType eight) {
    dtype = bytes == 1 ? one : bytes == 2 ? two : bytes == 4 ? four : eight;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  };
  switch (*format) {
    case '?': return dtype = boolean, true;
    case 'e': return dtype = float16, true;
    case 'f': return dtype = float32, true;
    case 'd': return dtype = float64, true;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q': return sized(int8, int16, int32, int64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q': return sized(uint8, uint16, uint32, uint64);
    default: return false;
  }
}

/// Copies an array whose elements are `strides` bytes apart.
void copy_strided(std::byte* to, const std::byte* from, const Py_buffer& buffer, int axis) {
  const auto size = static_cast<size_t>(buffer.itemsize);
  if (axis == buffer.ndim) {
    std::memcpy(to, from, size);
    return;
  }
  int64_t inner = buffer.itemsize;
  for (int i = axis + 1; i < buffer.ndim; ++i) inner *= buffer.shape[i];
  for (Py_ssize_t i = 0; i < buffer.shape[axis]; ++i)
    copy_strided(to + i * inner, from + i * buffer.strides[axis], buffer, axis + 1);
}

/// The memory of an array, which is given back when the last tensor over it is gone.
class ArrayMemory final : public Allocator {
 public:
  ArrayMemory(Held owner, void* data) : owner_(std::move(owner)), data_(data) {}
  Device device() const override { return kCPU; }
  void* allocate(size_t) override { return data_; }
  void release(void*, size_t) noexcept override { delete this; }

 private:
  Held owner_;
  void* data_;
};

}  // namespace

Tensor alias(Held owner, void* data, const Spec& spec) {
  if (spec.bytes() > static_cast<int64_t>(TensorData::kInline))
    return Tensor::uninitialized(spec, *new ArrayMemory(std::move(owner), data));  // frees itself
  Tensor copy = Tensor::uninitialized(spec);
  if (spec.bytes() > 0) std::memcpy(copy.mutable_data(), data, static_cast<size_t>(spec.bytes()));
  return copy;
}

Array::Array(nb::handle object) : owner_(object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0 || PyBytes_Check(object.ptr())) return;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return;
  }
  open_ = true;
  DType dtype{};
  if (!dtype_of_format(buffer_.format, static_cast<size_t>(buffer_.itemsize), dtype)) return;
  require(buffer_.ndim <= kMaxRank, "tensor: at most {} dimensions are supported. Got {}.",
          kMaxRank, buffer_.ndim);
  Shape shape;
  for (int i = 0; i < buffer_.ndim; ++i) shape.push_back(buffer_.shape[i]);
  spec_ = {dtype, shape};
  defined_ = true;
}

Array::~Array() {
  if (open_) PyBuffer_Release(&buffer_);
}

bool Array::in_order() const { return PyBuffer_IsContiguous(&buffer_, 'C') != 0; }

Tensor Array::copy() const {
  Tensor tensor = Tensor::uninitialized(spec_);
  if (tensor.size() == 0) return tensor;
  const Released released(tensor.size());
  auto* to = static_cast<std::byte*>(tensor.mutable_data());
  const auto* from = static_cast<const std::byte*>(buffer_.buf);
  if (in_order())
    memory::copy(to, from, static_cast<size_t>(tensor.bytes()));
  else
    copy_strided(to, from, buffer_, 0);
  return tensor;
}

Tensor Array::alias() const {
  const bool aligned = reinterpret_cast<uintptr_t>(buffer_.buf) % size_of(spec_.dtype) == 0;
  return in_order() && aligned ? python::alias(owner_, buffer_.buf, spec_) : copy();
}

}  // namespace alula::python
