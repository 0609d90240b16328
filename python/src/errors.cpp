#include "python/src/errors.h"

#include <map>

namespace alula::python {
namespace {

/// Python's classes by the names of ours; filled by the package when it is imported.
std::map<std::string, PyObject*, std::less<>>& classes() {
  static auto* const all = new std::map<std::string, PyObject*, std::less<>>();
  return *all;
}

void set_error(const Error& error) {
  const auto found = classes().find(error.kind());
  PyErr_SetString(found == classes().end() ? PyExc_RuntimeError : found->second, error.what());
}

}  // namespace

PyObject* raise() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const Error& error) {
    set_error(error);
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error    ? PyExc_TypeError
                    : error.type() == nb::exception_type::value_error ? PyExc_ValueError
                    : error.type() == nb::exception_type::index_error ? PyExc_IndexError
                                                                      : PyExc_RuntimeError,
                    error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of an unknown kind");
  }
  return nullptr;
}

void fail_as(const char* kind, const std::string& message) {
  const auto found = classes().find(std::string_view(kind));
  PyErr_SetString(found == classes().end() ? PyExc_RuntimeError : found->second, message.c_str());
  throw nb::python_error();
}

void bind_errors(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      set_error(error);
    }
  });
  m.def("_set_error_class",
        [](const std::string& kind, nb::handle type) { classes()[kind] = type.inc_ref().ptr(); });
}

}  // namespace alula::python
