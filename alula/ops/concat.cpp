#include "alula/ops/concat.h"

#include "alula/ops/batching.h"
#include "alula/ops/reshape.h"
#include "alula/ops/slice.h"
#include "alula/ops/split.h"

namespace alula {
namespace {

const RegisterOp<Concat> registered_concat;
const RegisterOp<Stack> registered_stack;

/// What both ask of their inputs.
void check_alike(const char* who, SpecRefs inputs) {
  require(inputs.size() > 0, "{}: there is no tensor. Give it at least one.", who);
  for (size_t i = 1; i < inputs.size(); ++i)
    require(inputs[i].dtype == inputs[0].dtype, "{}: the dtypes differ. Got {}. Use cast().", who,
            inputs);
}

/// Takes over the size that another input knows. Whether the two can be the same.
bool unite(int64_t& dim, int64_t other) {
  if (dim == kUnknown) dim = other;
  return dim == other || other == kUnknown;
}

}  // namespace

Tensor concat(std::span<const Tensor> values, int64_t axis) {
  return std::move(call_all(Concat(axis), values)[0]);
}
Tensor concat(std::initializer_list<Tensor> values, int64_t axis) {
  return concat(std::span(values.begin(), values.size()), axis);
}

Tensor stack(std::span<const Tensor> values, int64_t axis) {
  return std::move(call_all(Stack(axis), values)[0]);
}
Tensor stack(std::initializer_list<Tensor> values, int64_t axis) {
  return stack(std::span(values.begin(), values.size()), axis);
}

Specs Concat::infer(SpecRefs inputs) const {
  check_alike(kName, inputs);
  Spec result = inputs[0];
  require(result.rank() > 0, "{}: scalars have no axis to go along. Got {}. Use stack().", kName,
          inputs);
  const int along = normalize_axis(kName, axis, result.rank());
  for (size_t k = 1; k < inputs.size(); ++k) {
    const Shape& shape = inputs[k].shape;
    require(shape.rank() == result.rank(), "{}: the ranks differ. Got {}.", kName, inputs);
    for (int i = 0; i < result.rank(); ++i) {
      int64_t& dim = result.shape[i];
      if (i != along) {
        require(unite(dim, shape[i]), "{}: dimension {} differs, and the axis is {}. Got {}.",
                kName, i, along, inputs);
      } else if (dim != kUnknown) {
        const bool overflows = __builtin_add_overflow(dim, shape[i], &dim);
        require(!overflows, "{}: the result has too many elements to count. Got {}.", kName,
                inputs);
        if (shape[i] == kUnknown) dim = kUnknown;
      }
    }
  }
  return {result};
}

Specs Stack::infer(SpecRefs inputs) const {
  check_alike(kName, inputs);
  Spec result = inputs[0];
  for (size_t k = 1; k < inputs.size(); ++k) {
    const Shape& shape = inputs[k].shape;
    bool same = shape.rank() == result.rank();
    for (int i = 0; same && i < shape.rank(); ++i) same = unite(result.shape[i], shape[i]);
    require(same, "{}: the shapes differ. Got {}.", kName, inputs);
  }
  const int along = normalize_axis(kName, axis, result.rank() + 1);
  return {result.with(result.shape.with_inserted(along, static_cast<int64_t>(inputs.size())))};
}

namespace {

bool wants_all(const Recorded& call) {
  for (size_t i = 0; i < call.inputs(); ++i)
    if (!call.wants(i)) return false;
  return true;
}

}  // namespace

/// Each input gets its piece. They are cut in one go if all are asked for.
Gradients Concat::gradient(const Recorded& call) const {
  const int along = normalize_axis(kName, axis, call.output_spec().rank());
  Ints sizes;
  for (size_t i = 0; i < call.inputs(); ++i) sizes.push_back(call.input_spec(i).shape[along]);
  Gradients gradients;
  if (wants_all(call)) {
    for (Tensor& gradient : split(call.dy(), sizes, along)) gradients.push_back(gradient);
    return gradients;
  }
  int64_t begin = 0;
  for (size_t i = 0; i < call.inputs(); begin += sizes[i++])
    gradients.push_back(call.wants(i) ? slice_along(call.dy(), along, begin, sizes[i]) : Tensor());
  return gradients;
}

Gradients Stack::gradient(const Recorded& call) const {
  const int along = normalize_axis(kName, axis, call.output_spec().rank());
  Gradients gradients;
  if (wants_all(call)) {
    for (Tensor& gradient : unstack(call.dy(), along)) gradients.push_back(gradient);
    return gradients;
  }
  for (size_t i = 0; i < call.inputs(); ++i)
    gradients.push_back(call.wants(i)
                            ? reshape(slice_along(call.dy(), along, static_cast<int64_t>(i), 1),
                                      call.input_spec(i).shape)
                            : Tensor());
  return gradients;
}

Tensors Concat::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return {concat(batching::all_repeated(inputs, size), batching::behind(axis))};
}
Tensors Stack::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return {stack(batching::all_repeated(inputs, size), batching::behind(axis))};
}

Attributes Concat::attributes() const { return {{"axis", axis}}; }

Attributes Stack::attributes() const { return {{"axis", axis}}; }

}  // namespace alula
