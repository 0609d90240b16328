#pragma once
#include "python/src/convert.h"

namespace alula::python {

namespace v1 = compat::v1;

/// Whether ops of this thread build a graph for sessions rather than run.
bool builds_graph();

/// A variable of the default graph, of which each session has its own value, as an object of class
/// Variable. Its value is the symbolic tensor that stands for it.
Variable graph_variable(const v1::Variable& variable);
Variable graph_variable(nb::handle initial_value, DTypeLike dtype, const VariableOptions& options);
/// Whether it is one of those.
bool is_graph_variable(const Variable& variable);
/// The graph's variable, also for one that was made eagerly.
v1::Variable as_v1(const Variable& variable);
/// The variable that a Python object is, or an error that names `who`.
const Variable& variable_of(nb::handle object, const char* who);

void bind_compat_variables(nb::module_& m);
void bind_compat_train(nb::module_& m);

}  // namespace alula::python
