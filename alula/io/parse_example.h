#pragma once
#include <map>

#include "alula/io/example.h"
#include "alula/runtime/dispatch.h"

namespace alula {

namespace io {

/// A feature that has as many values in each example: float32, int64 or string.
struct FixedLenFeature {
  Shape shape;
  DType dtype = float32;
  Tensor default_value =
      {};  // where an example has none: of the shape, or a scalar. None: an error
};

/// A feature that may have any number of values, or none.
struct VarLenFeature {
  DType dtype = float32;
};

/// One or the other.
class FeatureSpec {
 public:
  FeatureSpec(FixedLenFeature feature) : fixed_(std::move(feature)) {}
  FeatureSpec(VarLenFeature feature) : fixed_{{}, feature.dtype, {}}, any_length_(true) {}

  bool any_length() const { return any_length_; }
  DType dtype() const { return fixed_.dtype; }
  const Shape& shape() const { return fixed_.shape; }
  const Tensor& default_value() const { return fixed_.default_value; }

 private:
  FixedLenFeature fixed_;
  bool any_length_ = false;
};
using FeatureSpecs = std::map<std::string, FeatureSpec>;

/// The features asked for of serialized tf.train.Examples, by name. `serialized` is a list of them;
/// each feature comes with its dimension in front.
///   parse_example(records, {{"image", FixedLenFeature{{28, 28}, float32}},
///                           {"label", FixedLenFeature{{}, int64, Tensor(0)}},
///                           {"tags", VarLenFeature{string}}})
/// The values of a VarLenFeature are along a new last axis; where some examples have fewer, zeros
/// or empty strings fill it: what TensorFlow's sparse tensor becomes by sparse.to_dense().
std::map<std::string, Tensor> parse_example(const Tensor& serialized, const FeatureSpecs& features);

/// The same for one example, a scalar: no dimension is put in front.
std::map<std::string, Tensor> parse_single_example(const Tensor& serialized,
                                                   const FeatureSpecs& features);

/// A tensor's elements as a feature of an Example: floats (also of 64 and 16 bits) as float32,
/// integers and bools as int64, strings. The shape is not kept.
///   Example{{{"image", feature_of(image)}, {"label", 7}}}.bytes()
Feature feature_of(const Tensor& values);
/// The bytes of an Example of these features.
std::string serialize_example(const std::map<std::string, Tensor>& features);

}  // namespace io

struct ParseExample final : OpOf<ParseExample> {
  static constexpr const char* kName = "parse_example";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  io::FeatureSpecs features;  // their default values have their shapes
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
