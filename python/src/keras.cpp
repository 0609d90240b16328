#include "python/src/keras_layer.h"
#include "python/src/module.h"

namespace alula::python {

void bind_keras(nb::module_& m) {
  nb::module_ keras = m.def_submodule("keras", "Keras.");
  bind_keras_functions(keras);
  bind_keras_losses(keras);
  bind_keras_metrics(keras);
  bind_keras_optimizers(keras);
  bind_keras_mixed_precision(keras);
  bind_keras_layer(keras);
  bind_keras_layers(keras);
  bind_keras_callbacks(keras);
  bind_keras_model(keras);
  bind_keras_output(keras);
}

}  // namespace alula::python
