#include "python/src/module.h"

NB_MODULE(_native, m) {
  using namespace alula::python;
  m.doc() = "Alula's C++ library as Python sees it; import alula instead.";
  nb::set_leak_warnings(
      false);  // the interpreter's end may come before that of module-level values
  bind_errors(m);
  bind_dtype(m);
  bind_tensor(m);
  bind_variable(m);
  bind_ops(m);
  bind_ops_math(m);
  bind_ops_array(m);
  bind_ops_linalg(m);
  bind_ops_nn(m);
  bind_ops_random(m);
  bind_ops_strings(m);
  bind_ops_image(m);
  bind_ops_io(m);
  bind_autograd(m);
  bind_function(m);
  bind_control_flow(m);
  bind_host_function(m);
  bind_data(m);
  bind_keras(m);
  bind_compat(m);
  bind_config(m);
  bind_profiler(m);
  bind_debugging(m);
  bind_summary(m);

  // What `from alula._native import *` takes: no modules, whose names the package's own have.
  nb::list names;
  for (const auto& [name, value] : nb::cast<nb::dict>(m.attr("__dict__")))
    if (!nb::isinstance<nb::module_>(value) && nb::cast<std::string>(name)[0] != '_')
      names.append(name);
  m.attr("__all__") = names;
}
