#pragma once
// Everything that a program needs: `#include "alula/alula.h"`.
#include "alula/autograd/custom_gradient.h"
#include "alula/autograd/tape.h"
#include "alula/core/log.h"
#include "alula/core/tensor.h"
#include "alula/core/version.h"
#include "alula/graph/compat/v1.h"
#include "alula/graph/function.h"
#include "alula/keras/keras.h"
#include "alula/ops/all.h"
#include "alula/profiler/profile.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/variable.h"
