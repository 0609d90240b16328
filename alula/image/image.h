#pragma once
// All of alula::image.
#include "alula/image/adjust.h"
#include "alula/image/codec.h"
#include "alula/image/color.h"
#include "alula/image/convert.h"
#include "alula/image/crop.h"
#include "alula/image/flip.h"
#include "alula/image/resize.h"
#include "alula/image/standardize.h"
