#pragma once
// All of Keras: `alula::keras`.
#include "alula/keras/activations.h"
#include "alula/keras/callbacks.h"
#include "alula/keras/datasets/mnist.h"
#include "alula/keras/initializers.h"
#include "alula/keras/input.h"
#include "alula/keras/layers.h"
#include "alula/keras/losses/losses.h"
#include "alula/keras/metrics/metrics.h"
#include "alula/keras/model.h"
#include "alula/keras/names.h"
#include "alula/keras/optimizers/optimizers.h"
#include "alula/keras/regularizers.h"
