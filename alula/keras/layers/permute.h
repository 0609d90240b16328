#pragma once
#include <vector>

#include "alula/keras/layer.h"

namespace alula::keras {

struct PermuteOptions {
  std::vector<int64_t> dims = {};  // counted from 1: the batch stays where it is
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class PermuteImpl : public LayerWith<PermuteImpl, PermuteOptions> {
 public:
  explicit PermuteImpl(const PermuteOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// The dimensions of each example in another order: the result's dimension i is x's dimension
/// dims[i - 1].
///   layers::Permute({.dims = {2, 1}})    [batch, a, b] to [batch, b, a]
using Permute = LayerOf<PermuteImpl>;
}  // namespace layers

}  // namespace alula::keras
