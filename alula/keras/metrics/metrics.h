#pragma once
// All metrics, as in keras.metrics.
#include "alula/keras/metrics/accuracy.h"
#include "alula/keras/metrics/auc.h"
#include "alula/keras/metrics/confusion.h"
#include "alula/keras/metrics/crossentropy.h"
#include "alula/keras/metrics/mean.h"
#include "alula/keras/metrics/metric.h"
#include "alula/keras/metrics/regression.h"
