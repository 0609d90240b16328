#include "alula/keras/layers/flatten.h"

#include "alula/keras/layers/data_format.h"
#include "alula/ops/reshape.h"

namespace alula::keras {

FlattenImpl::FlattenImpl(const FlattenOptions& options) : LayerWith(options) {
  check_data_format("Flatten", options.data_format);
  set_input_spec({.min_rank = 1});
}

Tensor FlattenImpl::call(const Tensor& x) {
  const Shape example = x.shape().slice(1, x.rank());
  require(example.is_known(),
          "Flatten: the size of an example must be known, to say how long its row is. Got {}.",
          x.spec());
  return reshape(x, {x.shape()[0], example.checked_size("Flatten")});
}

}  // namespace alula::keras
