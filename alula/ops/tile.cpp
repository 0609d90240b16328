#include "alula/ops/tile.h"

#include "alula/ops/batching.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/sum_to.h"

namespace alula {
namespace {

const RegisterOp<Tile> registered_tile;
const RegisterOp<BroadcastTo> registered_broadcast_to;

}  // namespace

Tensor tile(const Tensor& x, const Ints& multiples) { return call(Tile(multiples), x); }
Tensor broadcast_to(const Tensor& x, const Shape& shape) { return call(BroadcastTo(shape), x); }

Specs Tile::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require(multiples.size() == static_cast<size_t>(x.rank()),
          "{}: multiples needs a number for each dimension. Got multiples {} for {}.", kName,
          multiples, x);
  Shape shape = x.shape;
  for (int i = 0; i < x.rank(); ++i) {
    require(multiples[i] >= 0, "{}: multiples cannot be negative. Got {}.", kName, multiples);
    if (shape[i] == kUnknown) {
      if (multiples[i] == 0) shape[i] = 0;
      continue;
    }
    const bool overflows = __builtin_mul_overflow(shape[i], multiples[i], &shape[i]);
    require(!overflows, "{}: the result has too many elements to count. Got multiples {} for {}.",
            kName, multiples, x);
  }
  return {x.with(shape)};
}

Specs BroadcastTo::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  const int extra = shape.rank() - x.rank();
  bool fits = extra >= 0;
  for (int i = 0; fits && i < x.rank(); ++i) {
    const int64_t dim = x.shape[i], wanted = shape[extra + i];
    fits = dim == wanted || dim == 1 || dim == kUnknown || wanted == kUnknown;
  }
  require(fits, "{}: the input does not broadcast to {}. Got {}.", kName, shape, x);
  return {x.with(shape)};
}

/// The sum over the copies, one axis after another.
Gradients Tile::gradient(const Recorded& call) const {
  Shape shape = call.output_spec().shape;
  const Shape& from = call.input_spec().shape;
  Tensor dx = call.dy();
  for (int i = 0; i < from.rank(); ++i) {
    if (multiples[i] == 1) continue;
    const int64_t outer = shape.slice(0, i).size(),
                  copy = from[i] * shape.slice(i + 1, shape.rank()).size();
    shape[i] = from[i];
    dx = reduce_sum(reshape(dx, {outer, multiples[i], copy}), {.axis = 1});
  }
  return {reshape(dx, from)};
}

Gradients BroadcastTo::gradient(const Recorded& call) const {
  return {sum_to(call.dy(), call.input_spec().shape)};
}

Tensors Tile::batched(std::span<const BatchedInput> inputs, int64_t) const {
  Ints times{1};
  for (int64_t each : multiples) times.push_back(each);
  return {tile(inputs[0].value, times)};
}

Tensors BroadcastTo::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return {broadcast_to(batching::with_element_rank(inputs[0].value, shape.rank()),
                       Shape{size} + shape)};
}

Attributes Tile::attributes() const { return {{"multiples", multiples}}; }

Attributes BroadcastTo::attributes() const { return {{"shape", shape}}; }

}  // namespace alula
