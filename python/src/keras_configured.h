#pragma once
#include "python/src/keras_options.h"

namespace alula::python {

/// A class whose objects are made from options, and keep them as `_config`, for get_config().
template <class Impl, class Base>
nb::class_<Impl, Base> def_configured(nb::module_& m, const char* name, const char* doc,
                                      std::vector<Field> fields) {
  using Options = typename Impl::Options;
  static const Table table(name, std::move(fields));
  static const Options defaults{};
  static const std::string signature = table.signature(&defaults);
  nb::class_<Impl, Base> type(m, name, doc);
  type.def(
      "__init__",
      [](nb::pointer_and_handle<Impl> self, const nb::args& args, const nb::kwargs& kwargs) {
        Options options;
        nb::object kept;
        table.read(&options, args, kwargs, kept);
        nb::dict config;
        table.show(&options, kept, config);
        const WithoutTracing once;  // its variables outlive a trace
        new (static_cast<void*>(self.p)) Impl(options);
        self.h.attr("_config") = config;
      },
      nb::sig(signature.c_str()));
  return type;
}

}  // namespace alula::python
