#pragma once
#include "python/src/keras_layer.h"

namespace alula::python {

/// A model that Python makes: of calls that were noted (`Model(inputs, outputs)`), or by a class of
/// its own that overrides `call`.
class PyModel final : public keras::ModelImpl, public PythonLayer {
 public:
  PyModel(nb::handle self, const keras::LayerOptions& options,
          std::shared_ptr<keras::FunctionalImpl> functional);

  void build_all(const std::vector<Shape>& inputs) override;
  Tensor call(const Tensor& x) override;
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs) override;
  std::shared_ptr<LayerImpl> copy() const override;
  Tensor prepare(const Tensor& input) const override;
  std::vector<keras::LayerRow> rows() const override;
  bool is_branched() const override;
  std::vector<std::string> output_names() const override;

  void base_build(const Shape& input) override { ModelImpl::build(input); }
  std::vector<Tensor> base_call(const std::vector<Tensor>& inputs) override;

  const keras::FunctionalImpl* functional() const { return functional_.get(); }
  /// How the labels of the last batch looked.
  Structure targets;

 private:
  std::shared_ptr<keras::FunctionalImpl> functional_;  // null: a class of its own
};

/// The calls that a model is made of, if it is made of such.
const keras::FunctionalImpl* functional_of(const LayerImpl& layer);

/// What `fit`, `evaluate` and `predict` are given: arrays, which must not change meanwhile, or a
/// data set.
struct ModelData {
  ModelData(nb::handle model, nb::handle x, nb::handle y, nb::handle sample_weight);
  keras::Batch arrays;
  std::optional<data::Dataset> dataset;
};

/// What `compile` is told, from Python's arguments. `kept` are the objects that must live as long.
keras::CompileOptions to_compile_options(const keras::ModelImpl& model, const nb::kwargs& arguments,
                                         nb::list& kept);

void bind_keras_training(nb::class_<keras::ModelImpl, LayerImpl, PyModel>& type);
void set_own_steps(nb::handle self, PyModel& model);

}  // namespace alula::python
