#include "python/src/convert.h"
#include "python/src/module.h"

namespace alula::python {

void bind_ops_image(nb::module_&) {}

}  // namespace alula::python
