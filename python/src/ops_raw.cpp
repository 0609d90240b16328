#include "python/src/ops.h"

#include "alula/ops/table.h"

// What the table of ops says, and the ops that no function of TensorFlow's names stands for.
namespace alula::python {

void bind_ops_raw(nb::module_& m) {
  m.def(
      "_op_names",
      [] {
        nb::list names;
        for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
          names.append(type->name);
        return names;
      },
      "The structured ops.");
  m.def(
      "_elementwise_names",
      [] {
        nb::list names;
        for (const Elementwise* op : elementwise_table()) names.append(op->name());
        return names;
      },
      "The elementwise ops.");
}

}  // namespace alula::python
