#include "alula/core/output.h"
#include "python/src/keras_layer.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

/// Prints where Python does: sys.stdout, whatever that is at the moment. It never fails: a bar that
/// is being drawn when an error passes must not add another.
class PythonOutput final : public Output {
 public:
  void write(std::string_view text) override {
    with_stdout([&](nb::handle out) {
      out.attr("write")(nb::str(text.data(), text.size()));
      out.attr("flush")();
    });
  }
  bool is_terminal() const override {
    bool terminal = false;
    with_stdout([&](nb::handle out) { terminal = nb::cast<bool>(out.attr("isatty")()); });
    return terminal;
  }
  int columns() const override {
    int columns = 0;
    with_stdout([&](nb::handle) {
      columns =
          nb::cast<int>(nb::module_::import_("shutil").attr("get_terminal_size")().attr("columns"));
    });
    return columns;
  }

 private:
  template <class F>
  static void with_stdout(const F& f) noexcept {
    if (Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire lock;
    try {
      const nb::object out = nb::borrow(PySys_GetObject("stdout"));
      if (out.is_valid() && !out.is_none()) f(out);
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();  // comes again
    } catch (const std::exception&) {  // a text that Python cannot take is left out
    }
  }
};

}  // namespace

void bind_keras_output(nb::module_& m) {
  static PythonOutput output;
  set_output(&output);
  m.def("set_random_seed", [](int64_t seed) { random::set_seed(seed); }, "seed"_a);
  m.def("_mnist", [](const std::optional<std::string>& directory) {
    const auto splits = without_lock([&] {
      return !directory ? keras::datasets::mnist::load_data()
                        : keras::datasets::mnist::load_data(*directory);
    });
    return nb::make_tuple(nb::make_tuple(to_numpy(splits.train.x), to_numpy(splits.train.y)),
                          nb::make_tuple(to_numpy(splits.test.x), to_numpy(splits.test.y)));
  });
}

}  // namespace alula::python
