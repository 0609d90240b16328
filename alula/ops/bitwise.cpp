#include "alula/ops/bitwise.h"

#include <cstring>

#include "alula/ops/batching.h"
#include "alula/ops/tile.h"

namespace alula {
namespace {

using bitwise::Kind;

const RegisterOp<Bitwise> registered;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kAnd: return "and";
    case Kind::kOr: return "or";
    case Kind::kXor: return "xor";
    case Kind::kLeftShift: return "left_shift";
    default: return "right_shift";
  }
}

Tensor call_broadcast(Kind kind, const Tensor& x, const Tensor& y) {
  require(x.defined() && y.defined(), "bitwise: an input is not defined yet.");
  const Shape shape = broadcast("bitwise", x.shape(), y.shape());
  return call(Bitwise(kind), x.shape() == shape ? x : broadcast_to(x, shape),
              y.shape() == shape ? y : broadcast_to(y, shape));
}

}  // namespace

Specs Bitwise::infer(SpecRefs inputs) const {
  require(kDTypes.contains(inputs[0].dtype) && inputs[1].dtype == inputs[0].dtype,
          "{}: takes two tensors of the same integer type. Got {}.", kName, inputs);
  require(compatible(inputs[0].shape, inputs[1].shape), "{}: the shapes must agree. Got {}.", kName,
          inputs);
  return {inputs[0]};
}

Tensors Bitwise::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

Attributes Bitwise::attributes() const { return {{"kind", name_of(kind)}}; }

Tensor bitwise::bitwise_and(const Tensor& x, const Tensor& y) {
  return call_broadcast(Kind::kAnd, x, y);
}
Tensor bitwise::bitwise_or(const Tensor& x, const Tensor& y) {
  return call_broadcast(Kind::kOr, x, y);
}
Tensor bitwise::bitwise_xor(const Tensor& x, const Tensor& y) {
  return call_broadcast(Kind::kXor, x, y);
}
Tensor bitwise::left_shift(const Tensor& x, const Tensor& y) {
  return call_broadcast(Kind::kLeftShift, x, y);
}
Tensor bitwise::right_shift(const Tensor& x, const Tensor& y) {
  return call_broadcast(Kind::kRightShift, x, y);
}

Tensor bitwise::invert(const Tensor& x) {
  require(x.defined() && is_integer(x.dtype()), "bitwise: invert takes integers. Got {}.",
          x.defined() ? x.spec() : Spec());
  Tensor ones = Tensor::uninitialized({x.dtype(), {}});
  std::memset(ones.mutable_data(), 0xff, size_of(x.dtype()));
  return bitwise_xor(x, ones);
}

}  // namespace alula
