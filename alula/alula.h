#pragma once
// Everything that a program needs: `#include "alula/alula.h"`.
#include "alula/core/log.h"
#include "alula/core/tensor.h"
#include "alula/core/version.h"
#include "alula/keras/datasets/mnist.h"
#include "alula/ops/all.h"
#include "alula/runtime/devices.h"
