#pragma once
#include "python/src/common.h"

namespace alula::python {

/// The exception under way as a Python error that is set: what a slot of a type returns with.
PyObject* raise() noexcept;

/// Raises the package's error class of that name.
[[noreturn]] void fail_as(const char* kind, const std::string& message);

void bind_errors(nb::module_& m);

}  // namespace alula::python
