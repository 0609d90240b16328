#include "alula/io/event_writer.h"
#include "python/src/convert.h"
#include "python/src/module.h"

// Event files for TensorBoard.
namespace alula::python {

void bind_summary(nb::module_& m) {
  nb::module_ summary = m.def_submodule("_summary", "Event files.");
  nb::class_<io::EventWriter>(summary, "EventWriter")
      .def(nb::init<std::string>())
      .def_prop_ro("path", &io::EventWriter::path)
      .def("scalar",
           [](io::EventWriter& self, const std::string& tag, Like value, int64_t step) {
             const WithoutTracing now;
             self.scalar(tag, cast(value.tensor(), float64).item<double>(), step);
           })
      .def("text", [](io::EventWriter& self, const std::string& tag, Like value,
                      int64_t step) { self.text(tag, value.tensor().item<std::string>(), step); })
      .def("histogram",
           [](io::EventWriter& self, const std::string& tag, Like values, int64_t step,
              int buckets) { self.histogram(tag, values.tensor(), step, {.buckets = buckets}); })
      .def("flush", &io::EventWriter::flush)
      .def("close", &io::EventWriter::close);
}

}  // namespace alula::python
