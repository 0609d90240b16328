#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct EmbeddingOptions {
  int64_t input_dim = 0;   // how many different numbers there are
  int64_t output_dim = 0;  // the length of each one's vector
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  bool mask_zero = false;  // masks are not supported
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class EmbeddingImpl : public LayerWith<EmbeddingImpl, EmbeddingOptions> {
 public:
  explicit EmbeddingImpl(const EmbeddingOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable embeddings;
};

namespace layers {
/// A vector for each number. x: [...] of integers from 0 to input_dim - 1, result: [...,
/// output_dim].
///   layers::Embedding({.input_dim = 10'000, .output_dim = 64})
using Embedding = LayerOf<EmbeddingImpl>;
}  // namespace layers

}  // namespace alula::keras
