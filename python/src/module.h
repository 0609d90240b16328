#pragma once
#include "python/src/dtype.h"
#include "python/src/errors.h"
#include "python/src/tensor.h"

namespace alula::python {

// One a file, in the order in which they are called. Each adds to the module that it is given.
void bind_ops(nb::module_& m);
void bind_ops_math(nb::module_& m);
void bind_ops_array(nb::module_& m);
void bind_ops_linalg(nb::module_& m);
void bind_ops_nn(nb::module_& m);
void bind_ops_random(nb::module_& m);
void bind_ops_strings(nb::module_& m);
void bind_ops_image(nb::module_& m);
void bind_ops_io(nb::module_& m);
void bind_autograd(nb::module_& m);
void bind_function(nb::module_& m);
void bind_control_flow(nb::module_& m);
void bind_host_function(nb::module_& m);
void bind_data(nb::module_& m);
void bind_keras(nb::module_& m);
void bind_compat(nb::module_& m);
void bind_config(nb::module_& m);
void bind_profiler(nb::module_& m);
void bind_debugging(nb::module_& m);
void bind_summary(nb::module_& m);

}  // namespace alula::python
