#pragma once
// All optimizers and schedules, as in keras.optimizers.
#include "alula/keras/optimizers/adadelta.h"
#include "alula/keras/optimizers/adagrad.h"
#include "alula/keras/optimizers/adam.h"
#include "alula/keras/optimizers/adamax.h"
#include "alula/keras/optimizers/adamw.h"
#include "alula/keras/optimizers/ftrl.h"
#include "alula/keras/optimizers/lion.h"
#include "alula/keras/optimizers/nadam.h"
#include "alula/keras/optimizers/optimizer.h"
#include "alula/keras/optimizers/rmsprop.h"
#include "alula/keras/optimizers/schedules.h"
#include "alula/keras/optimizers/sgd.h"
