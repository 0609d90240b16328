#include "alula/keras/layers/embedding.h"

#include "alula/ops/cast.h"
#include "alula/ops/gather.h"

namespace alula::keras {

EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions& options) : LayerWith(options) {
  set_autocast(Autocast::kNo);
  require(options.input_dim > 0 && options.output_dim > 0,
          "Embedding: input_dim and output_dim must be positive. Got {} and {}.", options.input_dim,
          options.output_dim);
  require<UnimplementedError>(!options.mask_zero,
                              "Embedding: mask_zero = true is not supported. Leave it out, and "
                              "weight the samples instead.");
}

void EmbeddingImpl::build(const Shape&) {
  embeddings = add_weight({.name = "embeddings",
                           .shape = {options.input_dim, options.output_dim},
                           .initializer = options.embeddings_initializer,
                           .regularizer = options.embeddings_regularizer});
}

Tensor EmbeddingImpl::prepare(const Tensor& input) const {
  require(input.defined(), "layer '{}' (Embedding): an input is not defined yet.", name());
  return kIndexTypes.contains(input.dtype()) ? input : cast(input, int32);
}

/// Only the rows that are looked up are cast, not the whole table.
Tensor EmbeddingImpl::call(const Tensor& x) { return cast(gather(embeddings, x), compute_dtype()); }

}  // namespace alula::keras
