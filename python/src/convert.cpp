#include "python/src/convert.h"

#include <algorithm>

#include "python/src/array.h"
#include "python/src/dtype.h"

namespace alula::python {

PyTypeObject* tensor_type = nullptr;
PyTypeObject* variable_type = nullptr;

namespace {

bool is_list(nb::handle value) {
  return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) ||
         Py_TYPE(value.ptr()) == &PyRange_Type;
}
bool is_text(nb::handle value) {
  return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr());
}
/// A number of Python itself; NumPy's scalars, of which some derive from float, are arrays.
bool is_number(nb::handle value) {
  return PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr()) ||
         PyBool_Check(value.ptr());
}

std::string to_text(nb::handle value) {
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  const auto bytes = nb::cast<nb::bytes>(value);
  return {bytes.c_str(), bytes.size()};
}

Number to_number(nb::handle value) {
  if (PyBool_Check(value.ptr())) return value.is(Py_True);
  if (PyFloat_Check(value.ptr())) return PyFloat_AsDouble(value.ptr());
  int overflow = 0;
  const long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() == nullptr) return large;
    PyErr_Clear();
  }
  if (overflow != 0) throw nb::value_error("tensor: a Python integer is beyond 64 bits.");
  if (integer >= INT32_MIN && integer <= INT32_MAX) return static_cast<int32_t>(integer);
  return integer;
}

/// A nested list, flat: its dimensions and its leaves, which are no lists.
struct Flat {
  Shape dims;
  std::vector<nb::object> leaves;

  explicit Flat(nb::handle list) { add(list, 0); }

 private:
  void add(nb::handle value, int depth) {
    const bool list = is_list(value);
    if (seen_leaf_ && list != (depth < dims.rank())) fail_uneven();
    if (!list) {
      seen_leaf_ = true;
      leaves.push_back(nb::borrow(value));
      return;
    }
    const auto size = static_cast<int64_t>(nb::len(value));
    if (depth == dims.rank()) {
      if (seen_leaf_ || closed_) fail_uneven();
      dims.push_back(size);
      if (size == 0) closed_ = true;
    } else if (dims[depth] != size) {
      fail_uneven();
    }
    for (int64_t i = 0; i < size; ++i)
      add(nb::steal(PySequence_GetItem(value.ptr(), i)), depth + 1);
  }
  [[noreturn]] static void fail_uneven() {
    throw nb::value_error("tensor: the lists in a list must have the same lengths.");
  }

  bool seen_leaf_ = false, closed_ = false;
};

/// The numbers of a list as a tensor, of the dtype that suits them all unless one is wished for.
Tensor numbers_to_tensor(const Flat& flat, std::optional<DType> wanted, bool must) {
  std::vector<Number> numbers;
  numbers.reserve(flat.leaves.size());
  bool floating = false, boolean_seen = false, others = false, wide = false;
  for (const nb::object& leaf : flat.leaves) {
    const Number number = numbers.emplace_back(to_number(leaf));
    floating |= number.kind() == Number::Kind::kFloating;
    boolean_seen |= number.kind() == Number::Kind::kBool;
    others |= number.kind() != Number::Kind::kBool;
    wide |= number.natural_dtype() == int64;
    if (number.is_above_int64() && !wanted) wanted = uint64;
  }
  if (boolean_seen && others)
    throw nb::value_error("tensor: bools and numbers in one list. Write them as one kind.");
  const DType natural = floating       ? float32
                        : boolean_seen ? boolean
                        : wide         ? int64
                        : others       ? int32
                                       : float32;
  DType dtype = wanted.value_or(natural);
  const auto misfit =
      std::find_if(numbers.begin(), numbers.end(), [&](Number n) { return !n.fits(dtype); });
  if (misfit != numbers.end()) {
    if (must)
      throw nb::type_error(
          fmt::format("tensor: cannot convert {} to dtype {}.", *misfit, dtype).c_str());
    dtype = natural;
  }
  Tensor tensor = Tensor::uninitialized({dtype, flat.dims});
  auto* element = static_cast<std::byte*>(tensor.mutable_data());
  for (const Number& number : numbers) {
    number.store(dtype, element);
    element += size_of(dtype);
  }
  return tensor;
}

Tensor texts_to_tensor(const Flat& flat) {
  std::vector<std::string> texts;
  for (const nb::object& leaf : flat.leaves) {
    if (!is_text(leaf)) throw nb::value_error("tensor: texts and numbers in one list.");
    texts.push_back(to_text(leaf));
  }
  return {texts, flat.dims};
}

Tensor list_to_tensor(nb::handle list, std::optional<DType> wanted, bool must) {
  const Flat flat(list);
  const auto all = [&](auto&& test) {
    return std::all_of(flat.leaves.begin(), flat.leaves.end(), test);
  };
  if (all(is_number)) return numbers_to_tensor(flat, wanted, must);
  if (is_text(flat.leaves[0])) return texts_to_tensor(flat);

  // Tensors or arrays among them: the others take their dtype.
  for (const nb::object& leaf : flat.leaves)
    if (!wanted && held_tensor(leaf) != nullptr) wanted = held_tensor(leaf)->dtype();
  std::vector<Tensor> parts;
  for (const nb::object& leaf : flat.leaves)
    parts.push_back(wanted ? to_tensor_like(leaf, *wanted) : to_tensor(leaf));
  const Tensor stacked = stack(parts);
  return reshape(stacked, flat.dims + stacked.shape().slice(1, stacked.rank()));
}

/// What a library without buffers, such as one for data frames, gives NumPy.
Tensor via_numpy(nb::handle value) {
  if (!nb::hasattr(value, "__array__") && !nb::hasattr(value, "__array_interface__"))
    throw nb::type_error(fmt::format("tensor: cannot make one of {} (a {}).",
                                     nb::repr(value).c_str(), nb::type_name(value.type()).c_str())
                             .c_str());
  const nb::object given = numpy().attr("asarray")(value);
  nb::object array = numpy().attr("ascontiguousarray")(given);
  if (nb::cast<int>(given.attr("ndim")) == 0) array = array.attr("reshape")(nb::make_tuple());
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kind == "U" || kind == "S" || kind == "O") {
    const nb::object listed = array.attr("tolist")();
    return nb::cast<int>(array.attr("ndim")) == 0 ? to_tensor(listed)
                                                  : list_to_tensor(listed, std::nullopt, false);
  }
  const auto name = nb::cast<std::string>(array.attr("dtype").attr("name"));
  if (name == "bfloat16") return cast(to_tensor(array.attr("astype")("float32")), bfloat16);
  const nb::object native = array.attr("astype")(array.attr("dtype").attr("newbyteorder")("="));
  const Array readable(native);
  if (!readable.defined())
    throw nb::type_error(fmt::format("tensor: arrays of {} are not supported.", name).c_str());
  return readable.copy();
}

Tensor convert(nb::handle value, std::optional<DType> wanted, bool must) {
  if (const Tensor* held = held_tensor(value)) return *held;
  if (const Variable* variable = held_variable(value)) return variable->value();
  if (is_number(value)) {
    const Number number = to_number(value);
    if (!wanted || (!must && !number.fits(*wanted)))
      return {number, number.is_above_int64() ? uint64 : number.natural_dtype()};
    if (!number.fits(*wanted))
      throw nb::type_error(
          fmt::format("tensor: cannot convert {} to dtype {}.", number, *wanted).c_str());
    return {number, *wanted};
  }
  if (is_text(value)) return Tensor(std::string_view(to_text(value)));
  if (is_list(value)) return list_to_tensor(value, wanted, must);
  if (nb::hasattr(value, "__tf_tensor__"))
    return to_tensor(value.attr("__tf_tensor__")("dtype"_a = nb::none(), "name"_a = nb::none()));
  const Array array(value);
  Tensor tensor = array.defined()
                      ? (wanted && *wanted != array.spec().dtype ? array.alias() : array.copy())
                      : via_numpy(value);
  // An array takes the dtype that is asked for, but a fraction is not lost on the way unasked.
  if (wanted && tensor.dtype() != *wanted) {
    const bool loses = is_floating(tensor.dtype()) && !is_floating(*wanted);
    if (tensor.dtype() == string || *wanted == string || (loses && !must))
      return array.defined() ? array.copy() : tensor;
    const WithoutTracing outside;  // also where a graph is built, a constant is one
    tensor = cast(tensor, *wanted);
  }
  return tensor;
}

}  // namespace

const Variable* held_variable(nb::handle object) {
  if (Py_TYPE(object.ptr()) != variable_type &&
      PyObject_TypeCheck(object.ptr(), variable_type) == 0)
    return nullptr;
  return nb::inst_ptr<Variable>(object);
}

TensorObject wrap(Tensor tensor) {
  nb::object object = nb::inst_alloc(reinterpret_cast<PyObject*>(tensor_type));
  new (nb::inst_ptr<Tensor>(object)) Tensor(std::move(tensor));
  nb::inst_mark_ready(object);
  return nb::steal<TensorObject>(object.release());
}

bool is_tensor_like(nb::handle value) {
  return held_tensor(value) != nullptr || held_variable(value) != nullptr || is_number(value) ||
         is_text(value) || is_list(value) || PyObject_CheckBuffer(value.ptr()) != 0 ||
         nb::hasattr(value, "__array__") || nb::hasattr(value, "__tf_tensor__");
}

Tensor to_tensor(nb::handle value) { return convert(value, std::nullopt, false); }
Tensor to_tensor_like(nb::handle value, DType hint) { return convert(value, hint, false); }
Tensor to_tensor(nb::handle value, DType dtype) {
  Tensor tensor = convert(value, dtype, true);
  if (tensor.dtype() != dtype)
    throw nb::value_error(fmt::format("tensor: conversion requested dtype {} for a tensor of dtype "
                                      "{}. Use tf.cast.",
                                      dtype, tensor.dtype())
                              .c_str());
  return tensor;
}

std::vector<int64_t> to_ints(nb::handle value, const char* who) {
  const auto one = [&](nb::handle item) -> int64_t {
    if (item.is_none()) return kUnknown;
    if (PyLong_Check(item.ptr())) return nb::cast<int64_t>(item);
    const Tensor tensor = to_tensor(item);
    require(is_integer(tensor.dtype()) && tensor.size() == 1, "{}: must be integers. Got {}.", who,
            tensor.spec());
    const WithoutTracing now;  // also where a graph is built
    return cast(tensor, int64).item<int64_t>();
  };
  std::vector<int64_t> ints;
  if (value.is_none()) return ints;
  if (is_list(value)) {
    const auto size = static_cast<Py_ssize_t>(nb::len(value));
    for (Py_ssize_t i = 0; i < size; ++i)
      ints.push_back(one(nb::steal(PySequence_GetItem(value.ptr(), i))));
    return ints;
  }
  if (PyLong_Check(value.ptr())) {
    ints.push_back(nb::cast<int64_t>(value));
    return ints;
  }
  const Tensor tensor = to_tensor(value);
  require(is_integer(tensor.dtype()) && tensor.rank() <= 1, "{}: must be integers. Got {}.", who,
          tensor.spec());
  const WithoutTracing now;
  return cast(tensor, int64).to_vector<int64_t>();
}

Shape to_shape(nb::handle value) {
  const std::vector<int64_t> dims = to_ints(value, "shape");
  return Shape(dims);
}

std::vector<Tensor> to_tensors(nb::handle values) {
  std::vector<Tensor> tensors;
  if (!is_list(values)) {  // a tensor's rows
    const Tensor all = to_tensor(values);
    require(all.rank() > 0, "tensor: expected a list of tensors. Got {}.", all.spec());
    const Tensors rows = unstack(all);
    return {rows.begin(), rows.end()};
  }
  std::optional<DType> dtype;
  for (const nb::handle value : values)
    if (!dtype && held_tensor(value) != nullptr) dtype = held_tensor(value)->dtype();
  for (const nb::handle value : values) {
    tensors.push_back(dtype ? to_tensor_like(value, *dtype) : to_tensor(value));
    if (!dtype) dtype = tensors.back().dtype();
  }
  return tensors;
}

Pair::Pair(const Like& a, const Like& b) {
  const Tensor* held = held_tensor(b.handle());
  if (held_tensor(a.handle()) == nullptr && held_variable(a.handle()) == nullptr &&
      (held != nullptr || held_variable(b.handle()) != nullptr)) {
    this->b = b.tensor();
    this->a = a.tensor(this->b.dtype());
  } else {
    this->a = a.tensor();
    this->b = b.tensor(this->a.dtype());
  }
}

int64_t Pair::work() const { return std::max(work_of(a), work_of(b)); }

}  // namespace alula::python
