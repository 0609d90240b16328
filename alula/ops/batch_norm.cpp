#include "alula/ops/batch_norm.h"

#include <array>
#include <vector>

#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/rsqrt.h"

namespace alula {
namespace {

const RegisterOp<BatchNorm> registered;
const RegisterOp<BatchNormGradient> registered_gradient;

/// What statistics, gamma and beta are kept in.
DType kept_in(DType dtype) { return is_half(dtype) ? float32 : dtype; }

/// The spec of mean, variance, gamma and beta.
Spec channel_spec(const char* who, const Spec& x, int64_t axis) {
  return {kept_in(x.dtype), {x.shape[normalize_axis(who, axis, x.rank())]}};
}

void check_channels(const char* who, const char* what, const Spec& got, const Spec& wanted,
                    const Spec& x) {
  require(got.dtype == wanted.dtype && compatible(got.shape, wanted.shape),
          "{}: {} must be {}. Got x {}, {} {}.", who, what, wanted, x, what, got);
}

constexpr double kFlops = 6;  // an element

}  // namespace

BatchNormResult batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                           const BatchNormOptions& options) {
  const Tensor* inputs[] = {&x, &gamma, &beta};
  const Tensors outputs = dispatch_all(BatchNorm(options), TensorRefs(inputs));
  return {outputs[0], outputs[1], outputs[2]};
}

BatchNormResult batch_norm(const Tensor& x, const BatchNormOptions& options) {
  const Tensor* inputs[] = {&x};
  const Tensors outputs = dispatch_all(BatchNorm(options), TensorRefs(inputs));
  return {outputs[0], outputs[1], outputs[2]};
}

BatchNormGradients batch_norm_gradient(const Tensor& x, const Tensor& gamma,
                                       const BatchNormResult& result, const Tensor& dy,
                                       const BatchNormOptions& options) {
  const Tensor* inputs[] = {&x, &result.mean, &result.variance, &dy, &gamma};
  const std::span<const Tensor* const> given(inputs, gamma.defined() ? 5 : 4);
  const Tensors outputs = dispatch_all(BatchNormGradient(options), TensorRefs(given));
  return {outputs[0], outputs[1], outputs[2]};
}

Specs BatchNorm::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require(kDTypes.contains(x.dtype), "{}: takes {}. Got {}. Use cast().", kName, kDTypes, x);
  require(epsilon >= 0, "{}: epsilon cannot be negative. Got {}.", kName, epsilon);
  const Spec channels = channel_spec(kName, x, axis);
  if (inputs.size() > 1) {
    check_channels(kName, "gamma", inputs[1], channels, x);
    check_channels(kName, "beta", inputs[2], channels, x);
  }
  return {x, channels, channels};
}

Cost BatchNorm::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = kFlops * static_cast<double>(inputs[0].shape.size());
  return cost;
}

Gradients BatchNorm::gradient(const Recorded& call) const {
  const bool scaled = call.inputs() > 1;
  const BatchNormGradients gradients =
      batch_norm_gradient(call.input(0), scaled ? call.input(1) : Tensor(),
                          {Tensor(), call.output(1), call.output(2)}, call.dy(0), *this);
  if (!scaled) return {gradients.x};
  return {gradients.x, gradients.gamma, gradients.beta};
}

Needs BatchNorm::needs(IndexSet) const { return {.inputs = {0, 1}, .outputs = {1, 2}}; }

Specs BatchNormGradient::infer(SpecRefs inputs) const {
  const Spec &x = inputs[0], &dy = inputs[3];
  require(kDTypes.contains(x.dtype), "{}: takes {}. Got {}. Use cast().", kName, kDTypes, x);
  require(x.dtype == dy.dtype && compatible(x.shape, dy.shape),
          "{}: dy must be like x. Got x {}, dy {}.", kName, x, dy);
  const Spec channels = channel_spec(kName, x, axis);
  check_channels(kName, "mean", inputs[1], channels, x);
  check_channels(kName, "variance", inputs[2], channels, x);
  if (inputs.size() > 4) check_channels(kName, "gamma", inputs[4], channels, x);
  return {x, channels, channels};
}

Cost BatchNormGradient::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = 2 * kFlops * static_cast<double>(inputs[0].shape.size());
  return cost;
}

Needs BatchNormGradient::needs(IndexSet) const {
  return {.inputs = IndexSet::all(), .outputs = {}};
}

namespace {

/// Sums and means over all axes but the channels', which stay, in the shape [1, …, channels, …, 1].
class OverChannels {
 public:
  OverChannels(const Shape& shape, int axis) {
    std::vector<int64_t> others;
    for (int i = 0; i < shape.rank(); ++i) {
      beside_.push_back(i == axis ? shape[i] : 1);
      if (i == axis) continue;
      others.push_back(i);
      count_ *= static_cast<double>(shape[i]);
    }
    options_ = {.axis = others, .keepdims = true};
  }
  double count() const { return count_; }
  Tensor mean(const Tensor& x) const { return reduce_mean(x, options_); }
  Tensor beside(const Tensor& channels) const { return reshape(channels, beside_); }
  static Tensor flat(const Tensor& x) { return reshape(x, {-1}); }

 private:
  Shape beside_;
  ReduceOptions options_;
  double count_ = 1;
};

}  // namespace

/// Let z = (x - mean) / s, s = sqrt(variance + epsilon), and P v = v - mean(v) - z mean(v z), which
/// is its own transpose. Then dx = gamma / s P dy, dgamma = sum(dy z), dbeta = sum(dy), and a
/// function of x through z with the gradient u has the gradient P u / s. What follows is the
/// gradient of sum(a dx) + b dgamma + c dbeta, where a, b and c came from above; that of x includes
/// what comes by way of mean and variance.
Gradients BatchNormGradient::gradient(const Recorded& call) const {
  const DType kept = kept_in(call.input_spec(0).dtype);
  const OverChannels over(call.input_spec(0).shape,
                          normalize_axis(kName, axis, call.input_spec(0).rank()));
  const Tensor x = cast(call.input(0), kept), dy = cast(call.input(3), kept);
  const Tensor inverse = over.beside(rsqrt(call.input(2) + epsilon));
  const bool scaled = call.inputs() > 4;
  const Tensor factor = scaled ? over.beside(call.input(4)) * inverse : inverse;
  const Tensor a = cast(call.dy(0), kept);
  const Tensor b = over.beside(call.dy(1)), c = over.beside(call.dy(2));

  const Tensor z = (x - over.beside(call.input(1))) * inverse;
  const Tensor mean_az = over.mean(a * z), mean_dyz = over.mean(dy * z);
  const auto projected = [&](const Tensor& v, const Tensor& mean_vz) {
    return v - over.mean(v) - z * mean_vz;
  };
  const Tensor along = over.mean(a * projected(dy, mean_dyz));  // sum(a P dy) / count

  Gradients gradients;
  for (size_t i = 0; i < call.inputs(); ++i) gradients.push_back(Tensor());
  if (call.wants(0)) {
    const Tensor u = dy * b - factor * (a * mean_dyz + dy * mean_az);
    gradients[0] = cast(projected(u, over.mean(u * z)) * inverse - z * (factor * inverse * along),
                        call.input_spec(0).dtype);
  }
  if (call.wants(3))
    gradients[3] = cast(projected(a, mean_az) * factor + z * b + c, call.input_spec(3).dtype);
  if (scaled && call.wants(4)) gradients[4] = OverChannels::flat(along * inverse * over.count());
  return gradients;
}

namespace {

/// The channels of all calls are channels of one: each has its own mean, variance, gamma and beta.
template <class NormOp>
Tensors batched_channels(NormOp op, batching::Inputs inputs, int64_t size) {
  const int axis = normalize_axis(op.kName, op.axis, batching::element_shape(inputs[0]).rank());
  op.axis = axis;
  // x and dy have the rank of the input, all others one dimension: that of the channels.
  Tensors values = batching::all_repeated(inputs, size);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = batching::merged(values[i], i == 0 || i == 3 ? axis : 0);
  Tensors outputs = call_all(op, values);
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = batching::parted(outputs[i], i == 0 ? axis : 0, size);
  return outputs;
}

}  // namespace

Tensors BatchNorm::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batched_channels(*this, inputs, size);
}
Tensors BatchNormGradient::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batched_channels(*this, inputs, size);
}

Attributes attributes_of(const BatchNormOptions& options) {
  return {{"axis", options.axis}, {"epsilon", options.epsilon}};
}

}  // namespace alula
