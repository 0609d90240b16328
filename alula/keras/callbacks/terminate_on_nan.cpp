#include "alula/keras/callbacks/terminate_on_nan.h"

#include <cmath>

#include "alula/keras/model.h"
#include "alula/keras/output.h"

namespace alula::keras::callbacks {

void TerminateOnNaN::on_train_batch_end(int64_t batch, const Logs& logs) {
  if (!logs.contains("loss") || std::isfinite(logs["loss"])) return;
  require(
      !options_.raise_error,
      "TerminateOnNaN: the loss is {} after batch {}. A smaller learning rate, or clipnorm, may "
      "help.",
      logs["loss"], batch);
  output().write(fmt::format("Batch {}: Invalid loss, terminating training\n", batch));
  model().set_stop_training(true);
}

}  // namespace alula::keras::callbacks
