#pragma once
// All losses, as in keras.losses.
#include "alula/keras/losses/binary_crossentropy.h"
#include "alula/keras/losses/categorical_crossentropy.h"
#include "alula/keras/losses/cosine_similarity.h"
#include "alula/keras/losses/hinge.h"
#include "alula/keras/losses/loss.h"
#include "alula/keras/losses/probability.h"
#include "alula/keras/losses/regression.h"
#include "alula/keras/losses/sparse_categorical_crossentropy.h"
