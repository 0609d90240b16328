#include <cstdio>

#include "alula/graph/compat/v1.h"
#include "alula/profiler/profile.h"
#include "python/src/compat.h"
#include "python/src/module.h"

// What a program spends its time on.
namespace alula::python {
namespace {

profiler::OrderBy to_order(const std::string& name) {
  if (name == "bytes") return profiler::OrderBy::kBytes;
  if (name == "occurrence") return profiler::OrderBy::kCalls;
  if (name == "name") return profiler::OrderBy::kName;
  return profiler::OrderBy::kTime;
}

/// Prints as Python does, so that a program that redirects its output has this, too.
void print(const std::string& text) {
  const nb::object out = nb::module_::import_("sys").attr("stdout");
  if (!out.is_none()) out.attr("write")(text);
}

profiler::Profile profile(const v1::Graph& graph, const std::string& order_by, double min_micros,
                          int64_t min_bytes, int max_depth, bool prints) {
  profiler::ProfileOptions options{.order_by = to_order(order_by),
                                   .min_micros = min_micros,
                                   .min_bytes = min_bytes,
                                   .max_depth = max_depth,
                                   .print_fn = print};
  return prints ? profiler::profile(graph, options) : profiler::profile_of(graph, options);
}

/// Recorded calls as tuples: name, device, thread, start and end in nanoseconds, bytes.
nb::list to_list(const std::vector<spans::Span>& spans) {
  nb::list list;
  for (const spans::Span& span : spans)
    list.append(nb::make_tuple(span.name, to_string(span.device), span.thread, span.start, span.end,
                               span.read, span.written));
  return list;
}

}  // namespace

void bind_profiler(nb::module_& m) {
  nb::module_ inner = m.def_submodule("_profiler", "Profiles.");
  nb::class_<profiler::ProfileRow>(inner, "ProfileRow", "An op, or a name scope with all in it.")
      .def_ro("name", &profiler::ProfileRow::name)
      .def_ro("depth", &profiler::ProfileRow::depth)
      .def_ro("device", &profiler::ProfileRow::device)
      .def_ro("count", &profiler::ProfileRow::count)
      .def_ro("seconds", &profiler::ProfileRow::seconds)
      .def_ro("share", &profiler::ProfileRow::share)
      .def_ro("read", &profiler::ProfileRow::read)
      .def_ro("written", &profiler::ProfileRow::written);
  nb::class_<profiler::Profile>(inner, "Profile", "What ran in a graph's sessions.")
      .def_prop_ro("rows", &profiler::Profile::rows)
      .def_prop_ro("runs", &profiler::Profile::runs)
      .def_prop_ro("seconds", &profiler::Profile::seconds)
      .def_prop_ro("seconds_in_ops", &profiler::Profile::seconds_in_ops)
      .def("__str__", &profiler::Profile::str);
  inner.def("profile", &profile);
  nb::class_<spans::Recording>(inner, "Recording",
                               "Keeps every call of a kernel until it is stopped.")
      .def(nb::init<>())
      .def("stop", [](spans::Recording& self) {
        return to_list(without_lock([&] { return self.stop(); }));
      });
}

}  // namespace alula::python
