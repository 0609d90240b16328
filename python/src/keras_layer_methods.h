#pragma once
#include "python/src/keras_layer.h"

/// The methods of a layer that Python calls; keras_layer.cpp binds them.
namespace alula::python {

/// The layer, or Keras's error if `__init__` has not been called yet.
LayerImpl& initialized(nb::handle self);

// keras_layer_attributes.cpp
/// Makes the layers and variables of a value parts of a layer.
void track(nb::handle self, nb::handle value);
void untrack(nb::handle self, nb::handle value);
void set_attribute(nb::handle self, nb::handle name, nb::handle value);
void delete_attribute(nb::handle self, nb::handle name);
/// What is no attribute of the object may be an option that it was made with, or a weight.
nb::object find_attribute(nb::handle self, const std::string& name);
nb::dict get_config(nb::handle self);

// keras_layer_calls.cpp
void build_layer(nb::handle self, nb::handle input_shape);
/// What `call` of the class in C++ does.
nb::object call_directly(nb::handle self, nb::handle inputs, const nb::args&, const nb::kwargs&);
nb::object compute_output_shape(nb::handle self, nb::handle input_shape);
/// A single tensor as it is, several as a list.
nb::object wrap_outputs(const std::vector<Tensor>& tensors);

}  // namespace alula::python
