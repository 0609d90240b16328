#include "python/src/module.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace alula::python {
namespace {

std::atomic<bool> g_ending = false;
std::atomic<std::thread::id> g_ended_by;

}  // namespace

bool is_ending_elsewhere() {
  return g_ending.load() && g_ended_by.load() != std::this_thread::get_id();
}

void wait_for_the_end() {
  for (;;) ::pause();
}

}  // namespace alula::python

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

  // Called when all threads have ended but those that the program does not wait for.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    g_ended_by = std::this_thread::get_id();
    g_ending = true;
    // Those that are about to take the interpreter get it once more; later ones wait for the end.
    const nb::object count = nb::module_::import_("threading").attr("active_count");
    const int others = nb::cast<int>(count()) - 1;
    for (int i = 0; others > 0 && i < 10 + 2 * others; ++i) {
      const Released released;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }));

  // What `from alula._native import *` takes: no modules, whose names the package's own have.
  nb::list names;
  for (const auto& [name, value] : nb::cast<nb::dict>(m.attr("__dict__")))
    if (!nb::isinstance<nb::module_>(value) && nb::cast<std::string>(name)[0] != '_')
      names.append(name);
  m.attr("__all__") = names;
}
