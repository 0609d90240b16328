#include "alula/keras/callback.h"

#include "alula/keras/model.h"

namespace alula::keras {

Model& Callback::model() const {
  require<FailedPreconditionError>(model_ != nullptr,
                                   "callback: it has no model yet. fit, evaluate and predict give "
                                   "it one, before on_train_begin.");
  return *model_;
}

void Callback::set_model(const Model& model) { model_ = std::make_shared<Model>(model); }

void CallbackRef::check() const {
  require(callback_ != nullptr, "callbacks: one of them is a null pointer.");
}

}  // namespace alula::keras
