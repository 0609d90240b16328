#include <cstring>

#include "python/src/convert.h"
#include "python/src/dtype.h"
#include "python/src/errors.h"
#include "python/src/tensor.h"

// Tensors' elements as NumPy and others read them: the buffer protocol.
namespace alula::python {

void check_has_values(const Tensor& tensor, const char* what) {
  if (!tensor.is_symbolic()) return;
  fail_as("OperatorNotAllowedInGraphError",
          fmt::format("tensor: {} needs its values, and {} stands for values to come: it was made "
                      "while a function was traced, or for a model's or a session's graph.",
                      what, tensor.spec()));
}

namespace {

nb::object texts_to_numpy(const Tensor& tensor) {
  nb::list texts;
  for (const std::string& text : tensor.span<std::string>())
    texts.append(nb::bytes(text.data(), text.size()));
  if (tensor.rank() == 0) return texts[0];
  nb::object array = numpy().attr("empty")(texts.size(), "O");
  for (size_t i = 0; i < texts.size(); ++i) array[i] = texts[i];
  return array.attr("reshape")(nb::tuple(wrap(tensor.shape())));
}

const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return "e";
    case DType::kFloat32: return "f";
    case DType::kFloat64: return "d";
    case DType::kInt8: return "b";
    case DType::kInt16: return "h";
    case DType::kInt32: return "i";
    case DType::kInt64: return "l";
    case DType::kUInt8: return "B";
    case DType::kUInt16: return "H";
    case DType::kUInt32: return "I";
    case DType::kUInt64: return "L";
    case DType::kBool: return "?";
    default: return nullptr;
  }
}

struct Export {
  Py_ssize_t shape[kMaxRank], strides[kMaxRank];
  Tensor tensor;
};

/// Shows a tensor's elements to `owner`'s reader.
int show(const Tensor& tensor, bool writable, PyObject* owner, Py_buffer* view, int flags) {
  auto exported = std::make_unique<Export>();
  exported->tensor = tensor.cpu();
  const Tensor& host = exported->tensor;
  auto stride = static_cast<Py_ssize_t>(size_of(host.dtype()));
  view->itemsize = stride;
  for (int i = host.rank() - 1; i >= 0; --i) {
    exported->shape[i] = host.shape()[i];
    exported->strides[i] = stride;
    stride *= host.shape()[i];
  }
  view->buf = const_cast<void*>(host.data());
  view->len = host.bytes();
  view->readonly = writable ? 0 : 1;
  view->ndim = host.rank();
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(host.dtype())) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? exported->shape : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = exported.release();
  view->obj = Py_NewRef(owner);
  return 0;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  const Tensor* tensor = held_tensor(self);
  view->obj = nullptr;
  if (tensor == nullptr || tensor->is_symbolic() || format_of(tensor->dtype()) == nullptr ||
      (flags & PyBUF_WRITABLE) != 0) {
    PyErr_SetString(PyExc_BufferError,
                    "a tensor's buffer can be read, not written, and only where it has numbers");
    return -1;
  }
  try {
    return show(*tensor, false, self, view, flags);
  } catch (...) {
    raise();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
  delete static_cast<Export*>(view->internal);
}

/// Elements that nobody else holds: an array over them may be written.
struct Elements {
  Tensor tensor;
};

int get_elements(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    return show(nb::inst_ptr<Elements>(self)->tensor, true, self, view, flags);
  } catch (...) {
    raise();
    return -1;
  }
}

PyType_Slot elements_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_elements)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {0, nullptr},
};

bool has_buffer(const Tensor& tensor) { return format_of(tensor.dtype()) != nullptr; }

nb::object array_over(const nb::object& owner) {
  // Through the buffer, so that int64 is the int64 that NumPy itself makes.
  return numpy().attr("asarray")(nb::steal(PyMemoryView_FromObject(owner.ptr())));
}

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = Tensor::uninitialized(tensor.spec());
  std::memcpy(copy.mutable_data(), tensor.data(), static_cast<size_t>(tensor.bytes()));
  return copy;
}

/// From here on, NumPy's own copy would spend more time on fresh pages than on copying: the
/// library's memory is used again and comes in huge pages.
constexpr int64_t kLarge = 256 << 10;

}  // namespace

PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {0, nullptr},
};

nb::object to_numpy_view(const Tensor& tensor) {
  check_has_values(tensor, "NumPy");
  const Tensor host = without_lock([&] { return tensor.cpu(); });
  if (host.dtype() == string) return texts_to_numpy(host);
  if (host.dtype() == bfloat16)
    return to_numpy_view(cast(host, float32))
        .attr("astype")(numpy_dtype(bfloat16), "copy"_a = false);
  return array_over(wrap(host));
}

nb::object to_numpy(const Tensor& tensor) {
  check_has_values(tensor, "NumPy");
  if (tensor.bytes() >= kLarge && has_buffer(tensor) && tensor.device().is_cpu())
    return taken_to_numpy(without_lock([&] { return copy_of(tensor); }));
  nb::object view = to_numpy_view(tensor);
  if (tensor.dtype() == string) return view;
  return tensor.rank() == 0 ? view[nb::make_tuple()] : view.attr("copy")();
}

nb::object taken_to_numpy(Tensor tensor) {
  if (tensor.rank() == 0 || tensor.is_symbolic() || !has_buffer(tensor) ||
      !tensor.device().is_cpu() || !tensor.unique())
    return to_numpy(tensor);
  return array_over(nb::cast(Elements{std::move(tensor)}));
}

void bind_elements(nb::module_& m) {
  nb::class_<Elements>(m, "_Elements", nb::type_slots(elements_slots),
                       "A result's elements, which an array of NumPy owns.");
}

}  // namespace alula::python
