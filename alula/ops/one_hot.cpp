#include "alula/ops/one_hot.h"

#include "alula/ops/batching.h"
#include "alula/ops/fill.h"
#include "alula/ops/range.h"
#include "alula/ops/tile.h"

namespace alula {
namespace {

const RegisterOp<OneHot> registered;

}  // namespace

Tensor one_hot(const Tensor& indices, int64_t depth, const OneHotOptions& options) {
  return call(OneHot(depth, options), indices);
}

Tensor eye(int64_t num_rows, const EyeOptions& options) {
  const int64_t columns = options.num_columns < 0 ? num_rows : options.num_columns;
  require(num_rows >= 0, "eye: the number of rows cannot be negative. Got {}.", num_rows);
  const Tensor matrix = one_hot(range(0, num_rows, 1, int64), columns, {.dtype = options.dtype});
  if (options.batch_shape.rank() == 0) return matrix;
  return broadcast_to(matrix, options.batch_shape + matrix.shape());
}

Specs OneHot::infer(SpecRefs inputs) const {
  const Spec& indices = inputs[0];
  if (!kDTypes.contains(indices.dtype))
    fail("{}: takes indices of {}. Got {}. Use cast().", kName, to_string(kDTypes), indices);
  require(depth >= 0, "{}: the depth cannot be negative. Got {}.", kName, depth);
  for (const Number value : {on_value, off_value})
    require(is_element(value, dtype), "{}: {} is not a value of {}.", kName, value.as_double(),
            dtype);
  require(indices.rank() < kMaxRank, "{}: at most {} dimensions are supported. Got {}.", kName,
          kMaxRank, indices);
  const int place = normalize_axis(kName, axis, indices.rank() + 1);
  return {Spec{dtype, indices.shape.with_inserted(place, depth)}};
}

Tensors OneHot::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return batching::with_axis_behind(*this, inputs[0]);
}

Attributes OneHot::attributes() const {
  return {{"depth", depth},
          {"on_value", on_value},
          {"off_value", off_value},
          {"axis", axis},
          {"dtype", dtype}};
}

}  // namespace alula
