#pragma once
// What every file of the binding includes.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "alula/alula.h"

/// Alula's C++ interface as Python sees it: names, argument conversion and error classes, and
/// nothing else. One file a part of the interface; each has one `bind_…(module)`.
namespace alula::python {

namespace nb = nanobind;
using namespace nb::literals;

/// Whether the program ends, in another thread than this. The interpreter is no longer to be had
/// then: whoever asks for it is thrown out of all its functions, which C++ code does not survive.
bool is_ending_elsewhere();
[[noreturn]] void wait_for_the_end();

/// Lets other Python threads run while it lives, if the work is worth the switch.
class Released {
 public:
  /// About how many elements are computed: below some thousand, an op takes no longer than handing
  /// the interpreter over.
  explicit Released(int64_t elements) {
    if (elements >= kWorthIt) state_ = PyEval_SaveThread();
  }
  Released() : state_(PyEval_SaveThread()) {}
  ~Released() {
    if (state_ == nullptr) return;
    if (is_ending_elsewhere()) wait_for_the_end();
    PyEval_RestoreThread(state_);
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

  static constexpr int64_t kWorthIt = 4096;

 private:
  PyThreadState* state_ = nullptr;
};

/// What `f` returns; other Python threads run meanwhile if it is about so many elements' work.
template <class F>
auto without_lock(int64_t elements, const F& f) {
  const Released released(elements);
  return f();
}
template <class F>
auto without_lock(const F& f) {
  const Released released;
  return f();
}

/// A Python object that C++ code holds: it may be copied and let go in any thread, with or without
/// the interpreter's lock.
class Held {
 public:
  Held() = default;
  explicit Held(nb::handle object)
      : object_(object.inc_ref().ptr(), [](PyObject* held) {
          if (Py_IsInitialized() == 0 || is_ending_elsewhere()) return;
          const nb::gil_scoped_acquire lock;
          Py_DECREF(held);
        }) {}
  explicit operator bool() const { return object_ != nullptr; }
  nb::handle get() const { return object_.get(); }

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace alula::python
