#pragma once
// All of TensorFlow 1's way to work: alula::compat::v1.
#include "alula/graph/compat/gradients.h"
#include "alula/graph/compat/graph.h"
#include "alula/graph/compat/initializers.h"
#include "alula/graph/compat/session.h"
#include "alula/graph/compat/train.h"
#include "alula/graph/compat/variable.h"
