#include "alula/ops/fill.h"

namespace alula {
namespace {

const RegisterOp<Fill> registered_fill;
const RegisterOp<ZerosLike> registered_zeros_like;
const RegisterOp<OnesLike> registered_ones_like;

void check_dtype(const char* who, const Spec& x) {
  if (!kNumericOrBool.contains(x.dtype))
    fail("{}: takes {}. Got {}.", who, to_string(kNumericOrBool), x);
}

/// The elements are written, and nothing is read.
Cost writing_cost(std::span<const Spec> outputs) {
  return {.flops = 0, .bytes = static_cast<double>(outputs[0].bytes())};
}

bool is_zero_or_one(Number value) {
  return value.kind() == Number::Kind::kInteger &&
         (value.as_double() == 0 || value.as_double() == 1);
}

}  // namespace

bool is_element(Number value, DType dtype) {
  return value.fits(dtype) || (dtype == boolean && is_zero_or_one(value));
}

void store_element(Number value, DType dtype, void* element) {
  if (dtype == boolean && value.kind() == Number::Kind::kInteger) value = value.as_double() != 0;
  value.store(dtype, element);
}

Tensor fill(const Shape& dims, Number value) { return fill(dims, value, value.natural_dtype()); }
Tensor fill(const Shape& dims, Number value, DType dtype) { return call(Fill(dims, value, dtype)); }

Tensor zeros(const Shape& shape, DType dtype) { return call(Fill(shape, 0, dtype)); }
Tensor ones(const Shape& shape, DType dtype) { return call(Fill(shape, 1, dtype)); }
Tensor zeros_like(const Tensor& x) { return call(ZerosLike(), x); }
Tensor ones_like(const Tensor& x) { return call(OnesLike(), x); }

Specs Fill::infer(SpecRefs) const {
  require(is_element(value, dtype), "{}: {} is not a value of {}.", kName, value.as_double(),
          dtype);
  return {Spec{dtype, shape}};
}

Specs ZerosLike::infer(SpecRefs inputs) const {
  check_dtype(kName, inputs[0]);
  return {inputs[0]};
}

Specs OnesLike::infer(SpecRefs inputs) const {
  check_dtype(kName, inputs[0]);
  return {inputs[0]};
}

Cost ZerosLike::cost(SpecRefs, std::span<const Spec> outputs) const {
  return writing_cost(outputs);
}
Cost OnesLike::cost(SpecRefs, std::span<const Spec> outputs) const { return writing_cost(outputs); }

Tensors Fill::batched(std::span<const BatchedInput>, int64_t size) const {
  return {fill(Shape{size} + shape, value, dtype)};
}
Tensors ZerosLike::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return {zeros_like(inputs[0].value)};
}
Tensors OnesLike::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return {ones_like(inputs[0].value)};
}

Attributes Fill::attributes() const {
  return {{"shape", shape}, {"value", value}, {"dtype", dtype}};
}

}  // namespace alula
