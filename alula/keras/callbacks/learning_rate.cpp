#include "alula/keras/callbacks/learning_rate.h"

#include "alula/keras/model.h"

namespace alula::keras::callbacks {

double learning_rate_of(const Model& model) { return model.optimizer().learning_rate(); }

void set_learning_rate(const Model& model, double rate) {
  model.optimizer().set_learning_rate(rate);
}

}  // namespace alula::keras::callbacks
