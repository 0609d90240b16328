#pragma once
#include <functional>
#include <string>
#include <vector>

#include "alula/io/json.h"
#include "alula/io/safetensors.h"
#include "alula/keras/layer.h"
#include "alula/testing/harness.h"

/// The harness of the layers' tests: one description of a layer, all checks.
namespace alula::testing {

/// What a layer does, with batches of some size.
struct LayerCheck {
  std::vector<Spec> inputs;  // batch included; of several, the layer is called with a list
  Spec output;
  std::string name;               // the first default name
  int64_t params = 0;             // the number of elements of all weights
  int64_t trainable_params = -1;  // if some are not trained; -1: all are
  bool floating_gradient = true;  // whether floating inputs get a gradient
  Range range = {};               // of the inputs
};

/// Checks a layer: names, shapes known beforehand, dtypes, parameters, calls with and without
/// training, empty batches, gradients, freezing, weights in and out, copies, and other devices.
///   check_layer([] { return keras::layers::Dense({.units = 3}); },
///               {.inputs = {{float32, {2, 5}}}, .output = {float32, {2, 3}}, .name = "dense",
///                .params = 18});
void check_layer(const std::function<keras::Layer()>& make, const LayerCheck& check);

/// The layer that Keras's configuration describes. An error if there is none of that class.
keras::Layer layer_from_config(const std::string& class_name, const io::Json& config);

struct KerasCheck {
  bool gradients = true;
};

/// Compares a layer with what Keras computed: the output, the gradients of sum(output * r), and
/// weights that the call changes. `reference` is layers.safetensors, `one` an entry of its `cases`.
void check_against_keras(const io::SafeTensors& reference, const io::Json& one,
                         const KerasCheck& check = {});

}  // namespace alula::testing
