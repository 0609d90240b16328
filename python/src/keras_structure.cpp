#include "python/src/array.h"
#include "python/src/keras_layer.h"

namespace alula::python {
namespace {

/// Stands in a form where a tensor was.
nb::handle mark() { return Py_Ellipsis; }

bool is_list(nb::handle value) {
  return PyList_Check(value.ptr()) ||
         (PyTuple_Check(value.ptr()) && !nb::hasattr(value, "as_list"));
}
/// A value with a shape of its own.
bool is_array(nb::handle value) {
  return held_tensor(value) != nullptr || held_variable(value) != nullptr ||
         (!is_list(value) && !PyUnicode_Check(value.ptr()) && !PyBytes_Check(value.ptr()) &&
          !PyDict_Check(value.ptr()) && !PyLong_Check(value.ptr()) && !PyFloat_Check(value.ptr()) &&
          (PyObject_CheckBuffer(value.ptr()) != 0 || nb::hasattr(value, "__array__")));
}
/// Whether a list is one of tensors, rather than of numbers that make one.
bool holds_arrays(nb::handle list) {
  for (const nb::handle item : list)
    if (is_array(item) || PyDict_Check(item.ptr()) || (is_list(item) && holds_arrays(item)))
      return true;
  return false;
}

using ToTensor = Tensor (*)(nb::handle);

Tensor aliased(nb::handle value) {
  if (held_tensor(value) == nullptr && held_variable(value) == nullptr && !is_list(value)) {
    const Array array(value);
    if (array.defined()) return array.alias();
  }
  return to_tensor(value);
}
Tensor converted(nb::handle value) { return to_tensor(value); }

/// Takes a value apart; `all` converts what is no array, too.
nb::object take(nb::handle value, bool all, ToTensor to, std::vector<Tensor>& tensors) {
  if (PyDict_Check(value.ptr())) {
    nb::dict form;
    for (const auto [key, item] : nb::cast<nb::dict>(value))
      form[key] = take(item, all, to, tensors);
    return form;
  }
  if (is_list(value) && holds_arrays(value)) {
    nb::list form;
    for (const nb::handle item : value) form.append(take(item, all, to, tensors));
    return PyTuple_Check(value.ptr()) ? nb::object(nb::tuple(form)) : nb::object(form);
  }
  if (!all && !is_array(value)) return nb::borrow(value);
  if (all && value.is_none()) return nb::none();
  tensors.push_back(to(value));
  return nb::borrow(mark());
}

/// `make` gives the object for each mark in turn.
template <class Make>
nb::object put(nb::handle form, const Make& make) {
  if (form.is(mark())) return make();
  if (PyDict_Check(form.ptr())) {
    nb::dict result;
    for (const auto [key, item] : nb::cast<nb::dict>(form)) result[key] = put(item, make);
    return result;
  }
  if (is_list(form)) {
    nb::list result;
    for (const nb::handle item : form) result.append(put(item, make));
    return PyTuple_Check(form.ptr()) ? nb::object(nb::tuple(result)) : nb::object(result);
  }
  return nb::borrow(form);
}

size_t count_marks(nb::handle form) {
  if (form.is(mark())) return 1;
  size_t count = 0;
  if (PyDict_Check(form.ptr()))
    for (const auto [key, item] : nb::cast<nb::dict>(form)) count += count_marks(item);
  else if (is_list(form))
    for (const nb::handle item : form) count += count_marks(item);
  return count;
}

}  // namespace

Structure Structure::flatten(nb::handle value, std::vector<Tensor>& tensors) {
  const size_t before = tensors.size();
  const nb::object form = take(value, true, converted, tensors);
  return form.is(mark()) ? Structure() : Structure(form, tensors.size() - before);
}

Structure Structure::alias(nb::handle value, std::vector<Tensor>& tensors) {
  const size_t before = tensors.size();
  const nb::object form = take(value, true, aliased, tensors);
  return form.is(mark()) ? Structure() : Structure(form, tensors.size() - before);
}

Structure Structure::of_call(nb::handle args, nb::handle kwargs, std::vector<Tensor>& tensors) {
  const size_t before = tensors.size();
  nb::list form;  // the inputs, the other arguments, the named ones
  form.append(take(nb::object(args[0]), true, converted, tensors));
  nb::list rest;
  for (size_t i = 1; i < nb::len(args); ++i)
    rest.append(take(nb::object(args[i]), false, converted, tensors));
  form.append(nb::tuple(rest));
  form.append(take(kwargs, false, converted, tensors));
  return {form, tensors.size() - before};
}

Structure Structure::of_form(nb::handle form) {
  return form.is(mark()) ? Structure() : Structure(form, count_marks(form));
}

nb::object Structure::pack(const std::vector<Tensor>& tensors) const {
  size_t next = 0;
  return put(is_single() ? mark() : form(), [&] { return wrap(tensors.at(next++)); });
}

nb::object Structure::pack_objects(nb::handle list) const {
  size_t next = 0;
  return put(is_single() ? mark() : form(), [&] { return nb::object(list[next++]); });
}

}  // namespace alula::python
