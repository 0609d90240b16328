#pragma once
// All of alula::image.
#include "alula/image/adjust.h"
#include "alula/image/convert.h"
#include "alula/image/flip.h"
