#include "python/src/convert.h"
#include "python/src/module.h"

namespace alula::python {

void bind_profiler(nb::module_&) {}

}  // namespace alula::python
