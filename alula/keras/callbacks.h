#pragma once
// Every callback.
#include "alula/keras/callbacks/csv_logger.h"
#include "alula/keras/callbacks/early_stopping.h"
#include "alula/keras/callbacks/lambda_callback.h"
#include "alula/keras/callbacks/learning_rate_scheduler.h"
#include "alula/keras/callbacks/model_checkpoint.h"
#include "alula/keras/callbacks/reduce_lr_on_plateau.h"
#include "alula/keras/callbacks/tensorboard.h"
#include "alula/keras/callbacks/terminate_on_nan.h"

namespace alula::keras::callbacks {
using keras::Callback;
}
