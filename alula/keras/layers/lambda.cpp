#include "alula/keras/layers/lambda.h"

namespace alula::keras {

Tensor IdentityImpl::call(const Tensor& x) { return x; }

LambdaImpl::LambdaImpl(const LambdaOptions& options) : LayerWith(options) {
  require(options.function != nullptr,
          "Lambda: a function must be given. Write {{.function = …}}.");
}

Tensor LambdaImpl::call(const Tensor& x) {
  Tensor y = options.function(x);
  require(y.defined(), "Lambda: the function gave a tensor that is not defined. Got {}.", x.spec());
  return y;
}

}  // namespace alula::keras
