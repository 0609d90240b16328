#include "python/src/arguments.h"

#include <bit>

namespace alula::python {
namespace {

bool is_exactly(nb::handle value, PyTypeObject& type) { return Py_TYPE(value.ptr()) == &type; }

bool is_plain_value(nb::handle value) {
  return is_exactly(value, PyLong_Type) || is_exactly(value, PyFloat_Type) ||
         is_exactly(value, PyUnicode_Type) || is_exactly(value, PyBytes_Type) ||
         is_exactly(value, PyComplex_Type);
}

nb::handle type_of(nb::handle value) { return reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())); }

/// Numbers are the same if all their bits are: a NaN is itself, and -0.0 is not 0.0.
bool same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a))
    return std::bit_cast<uint64_t>(PyFloat_AsDouble(a)) ==
           std::bit_cast<uint64_t>(PyFloat_AsDouble(b));
  const int same = PyObject_RichCompareBool(a, b, Py_EQ);
  if (same < 0) nb::raise_python_error();
  return same != 0;
}

/// Whether something that is neither tensor nor container stands for numbers, as arrays do.
bool is_array(nb::handle value) {
  if (PyType_Check(value.ptr()) || PyCallable_Check(value.ptr())) return false;
  return PyObject_CheckBuffer(value.ptr()) != 0 || nb::hasattr(value, "__array__");
}

/// A bound method is made anew whenever it is asked for: what it is bound to says which it is.
bool is_method(nb::handle value) {
  static PyObject* const type =
      nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
  return type_of(value).ptr() == type;
}

template <class F>
void for_each_item(nb::handle dict, const F& f) {
  Py_ssize_t position = 0;
  PyObject *key = nullptr, *value = nullptr;
  while (PyDict_Next(dict.ptr(), &position, &key, &value) != 0)
    f(nb::handle(key), nb::handle(value));
}

nb::object make_sequence(nb::handle type, nb::handle like, const nb::list& items) {
  if (nb::hasattr(like, "_fields")) return type(*nb::tuple(items));
  return type(items);
}

}  // namespace

// ---- what is kept of the arguments of a trace

KeptPart::KeptPart(const Token& token, std::span<const Operand> operands)
    : part_(token.part), count_(token.count), object_(token.object) {
  switch (part_) {
    case Part::kTensor: spec_ = operands[token.count].spec(); break;
    case Part::kVariable: variable_ = *held_variable(token.object); break;
    case Part::kObject:
      held_ = nb::steal(PyWeakref_NewRef(object_, nullptr));
      weak_ = held_.is_valid();
      if (weak_) break;
      PyErr_Clear();  // it cannot be referred to weakly
      [[fallthrough]];
    default: held_ = nb::borrow(object_);
  }
}

bool KeptPart::is_alive() const {
  if (!weak_) return true;
  const nb::object referred = nb::steal(PyObject_CallNoArgs(held_.ptr()));
  if (!referred.is_valid()) nb::raise_python_error();
  return !referred.is_none();
}

bool KeptPart::fits(const Token& token, std::span<const Operand> operands) const {
  if (token.part != part_) return false;
  switch (part_) {
    case Part::kTensor: return operands[token.count].spec() == spec_;
    case Part::kVariable: return held_variable(token.object)->same_as(variable_);
    case Part::kValue: return same_value(object_, token.object);
    case Part::kObject: return object_ == token.object && is_alive();
    case Part::kList:
    case Part::kTuple:
    case Part::kDict: return object_ == token.object && count_ == token.count;
  }
  return false;
}

std::string KeptPart::describe() const {
  switch (part_) {
    case Part::kTensor: return fmt::format("{}", spec_);
    case Part::kVariable: return fmt::format("the variable '{}'", variable_.name());
    case Part::kValue: return nb::repr(held_).c_str();
    case Part::kObject:
      return is_alive() ? fmt::format("an object at {}", static_cast<void*>(object_))
                        : "an object that is gone";
    default: return fmt::format("a {} of {}", nb::type_name(held_).c_str(), count_);
  }
}

int KeptPart::visit(visitproc visit, void* arg) const {
  return held_.is_valid() ? visit(held_.ptr(), arg) : 0;
}

// ---- the arguments of a call

namespace {

/// A list in a list, which may contain itself.
class Deeper {
 public:
  Deeper() {
    if (Py_EnterRecursiveCall(" in the arguments of a function") != 0) nb::raise_python_error();
  }
  ~Deeper() { Py_LeaveRecursiveCall(); }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
};

}  // namespace

void Arguments::add(nb::handle value) {
  if (const Tensor* tensor = held_tensor(value)) {
    push(Part::kTensor, nb::handle(), operands.size());
    operands.emplace_back(*tensor);
  } else if (like_ != nullptr && tokens.size() < like_->size() &&
             (*like_)[tokens.size()].is_object(value.ptr())) {
    push(Part::kObject, value);
  } else if (is_plain_value(value)) {
    push(Part::kValue, value);
  } else if (PyTuple_Check(value.ptr()) || PyList_Check(value.ptr()) || PyDict_Check(value.ptr())) {
    const Deeper deeper;
    add_container(value);
  } else {
    add_other(value);
  }
}

void Arguments::add_container(nb::handle value) {
  if (PyTuple_Check(value.ptr())) {
    const auto count = static_cast<size_t>(PyTuple_Size(value.ptr()));
    push(Part::kTuple, type_of(value), count);
    for (size_t i = 0; i < count; ++i)
      add(PyTuple_GetItem(value.ptr(), static_cast<Py_ssize_t>(i)));
  } else if (PyList_Check(value.ptr())) {
    const auto count = static_cast<size_t>(PyList_Size(value.ptr()));
    push(Part::kList, type_of(value), count);
    for (size_t i = 0; i < count; ++i) add(PyList_GetItem(value.ptr(), static_cast<Py_ssize_t>(i)));
  } else {
    push(Part::kDict, type_of(value), static_cast<size_t>(PyDict_Size(value.ptr())));
    for_each_item(value, [&](nb::handle key, nb::handle item) {
      push(Part::kValue, key);
      add(item);
    });
  }
}

void Arguments::add_other(nb::handle value) {
  if (held_variable(value) != nullptr) return push(Part::kVariable, value);
  if (value.is_none() || PyBool_Check(value.ptr())) return push(Part::kObject, value);
  if (is_method(value)) {
    // Both parts live as long as the method, which the caller holds.
    push(Part::kList, type_of(value), 2);
    push(Part::kObject, nb::object(value.attr("__self__")).ptr());
    push(Part::kObject, nb::object(value.attr("__func__")).ptr());
    return;
  }
  if (!is_array(value)) return push(Part::kObject, value);
  push(Part::kTensor, nb::handle(), operands.size());
  auto array = std::make_unique<Array>(value);
  if (array->defined())
    operands.emplace_back(std::move(array));
  else
    operands.emplace_back(to_tensor(value));
}

bool Arguments::fit(const KeptParts& parts) const {
  if (parts.size() != tokens.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].fits(tokens[i], operands)) return false;
  return true;
}

KeptParts Arguments::kept() const {
  KeptParts parts;
  for (const Token& token : tokens) parts.emplace_back(token, operands);
  return parts;
}

bool Arguments::any_symbolic() const {
  for (const Operand& operand : operands)
    if (operand.is_symbolic()) return true;
  return false;
}

nb::object with_tensors(nb::handle value, std::span<const Tensor>& tensors) {
  const auto next = [&] {
    const Tensor& tensor = tensors.front();
    tensors = tensors.subspan(1);
    return wrap(tensor);
  };
  if (held_tensor(value) != nullptr) return next();
  if (is_plain_value(value)) return nb::borrow(value);
  if (PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) {
    nb::list items;
    const auto count = static_cast<Py_ssize_t>(nb::len(value));
    for (Py_ssize_t i = 0; i < count; ++i)
      items.append(with_tensors(nb::steal(PySequence_GetItem(value.ptr(), i)), tensors));
    return is_exactly(value, PyList_Type) ? items : make_sequence(type_of(value), value, items);
  }
  if (PyDict_Check(value.ptr())) {
    nb::object copy = value.attr("copy")();
    for_each_item(
        value, [&](nb::handle key, nb::handle item) { copy[key] = with_tensors(item, tensors); });
    return copy;
  }
  const bool other = held_variable(value) != nullptr || value.is_none() ||
                     PyBool_Check(value.ptr()) || is_method(value) || !is_array(value);
  return other ? nb::borrow(value) : next();
}

// ---- what a function returned

Form::Form(nb::handle result, std::vector<Tensor>& tensors) {
  const auto take = [&](Tensor tensor) {
    kind_ = Kind::kTensor;
    index_ = tensors.size();
    tensors.push_back(std::move(tensor));
  };
  if (result.is_none()) return;
  if (const Tensor* tensor = held_tensor(result)) {
    take(*tensor);
    return;
  }
  if (PyDict_Check(result.ptr())) {
    kind_ = Kind::kDict;
    type_ = nb::borrow(type_of(result));
    for_each_item(result, [&](nb::handle key, nb::handle item) {
      keys_.push_back(nb::borrow(key));
      parts_.emplace_back(item, tensors);
    });
    return;
  }
  const bool list = PyList_Check(result.ptr());
  if (list || PyTuple_Check(result.ptr())) {
    kind_ = list ? Kind::kList : nb::hasattr(result, "_fields") ? Kind::kFields : Kind::kTuple;
    type_ = nb::borrow(type_of(result));
    for (const nb::handle item : result) parts_.emplace_back(item, tensors);
    return;
  }
  if (!is_tensor_like(result))
    throw nb::type_error(
        fmt::format("function: it must return tensors, numbers, None, or lists, tuples and "
                    "dicts of them. Got {} (a {}).",
                    nb::repr(result).c_str(), nb::type_name(result.type()).c_str())
            .c_str());
  take(to_tensor(result));
}

nb::object Form::pack(std::span<const Tensor> tensors) const {
  if (kind_ == Kind::kTensor) return wrap(tensors[index_]);
  if (kind_ == Kind::kNone) return nb::none();
  if (kind_ == Kind::kDict) {
    nb::dict dict;
    for (size_t i = 0; i < parts_.size(); ++i) dict[keys_[i]] = parts_[i].pack(tensors);
    return type_.is(&PyDict_Type) ? dict : type_(dict);
  }
  nb::list items;
  for (const Form& part : parts_) items.append(part.pack(tensors));
  if (type_.is(&PyList_Type)) return items;
  if (type_.is(&PyTuple_Type)) return nb::tuple(items);
  return kind_ == Kind::kFields ? type_(*nb::tuple(items)) : type_(items);
}

int Form::visit(visitproc visit, void* arg) const {
  if (type_.is_valid())
    if (const int stop = visit(type_.ptr(), arg)) return stop;
  for (const nb::object& key : keys_)
    if (const int stop = visit(key.ptr(), arg)) return stop;
  for (const Form& part : parts_)
    if (const int stop = part.visit(visit, arg)) return stop;
  return 0;
}

}  // namespace alula::python
