#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

/// The inputs with as many dimensions each, put in behind the batch, and of one dtype: if some are
/// floating, the others become so.
std::vector<Tensor> aligned(const std::vector<Tensor>& inputs);

/// What the layers share that combine several inputs element by element.
template <class Impl>
class MergeOf : public LayerWith<Impl, LayerOptions> {
 public:
  explicit MergeOf(const LayerOptions& options) : LayerWith<Impl, LayerOptions>(options) {}
  Tensor call(const Tensor& x) override {
    fail("takes a list of inputs. Got {} alone. Write {{a, b}}.", x.spec());
  }
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs) override {
    return {merge(aligned(inputs))};
  }

 protected:
  virtual Tensor merge(const std::vector<Tensor>& inputs) const = 0;
};

class AddImpl : public MergeOf<AddImpl> {
 public:
  using MergeOf::MergeOf;

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override;
};

class SubtractImpl : public MergeOf<SubtractImpl> {
 public:
  using MergeOf::MergeOf;

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override;
};

class MultiplyImpl : public MergeOf<MultiplyImpl> {
 public:
  using MergeOf::MergeOf;

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override;
};

class AverageImpl : public MergeOf<AverageImpl> {
 public:
  using MergeOf::MergeOf;

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override;
};

class MaximumImpl : public MergeOf<MaximumImpl> {
 public:
  using MergeOf::MergeOf;

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override;
};

class MinimumImpl : public MergeOf<MinimumImpl> {
 public:
  using MergeOf::MergeOf;

 protected:
  Tensor merge(const std::vector<Tensor>& inputs) const override;
};

struct ConcatenateOptions {
  int64_t axis = -1;
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class ConcatenateImpl : public LayerWith<ConcatenateImpl, ConcatenateOptions> {
 public:
  explicit ConcatenateImpl(const ConcatenateOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override;
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs) override;
};

namespace layers {
/// The sum of its inputs, which broadcast.
///   layers::Add()({x, y})
using Add = LayerOf<AddImpl>;
/// The first of two inputs minus the second.
using Subtract = LayerOf<SubtractImpl>;
/// The product of its inputs.
using Multiply = LayerOf<MultiplyImpl>;
/// The mean of its inputs.
using Average = LayerOf<AverageImpl>;
/// The largest of its inputs, element by element.
using Maximum = LayerOf<MaximumImpl>;
/// The smallest of its inputs, element by element.
using Minimum = LayerOf<MinimumImpl>;
/// Its inputs one after another along an axis; their other dimensions are the same.
///   layers::Concatenate({.axis = -1})({x, y})
using Concatenate = LayerOf<ConcatenateImpl>;
}  // namespace layers

}  // namespace alula::keras
