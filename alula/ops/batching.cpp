#include "alula/ops/batching.h"

#include <algorithm>
#include <vector>

#include "alula/ops/concat.h"
#include "alula/ops/reshape.h"
#include "alula/ops/split.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"

namespace alula::batching {

Shape element_shape(const BatchedInput& input) {
  const Shape& shape = input.value.shape();
  return input.batched ? shape.slice(1, shape.rank()) : shape;
}

Tensor repeated(const BatchedInput& input, int64_t size) {
  if (input.batched) return input.value;
  return broadcast_to(input.value, Shape{size} + input.value.shape());
}

Tensors all_repeated(Inputs inputs, int64_t size) {
  Tensors values;
  for (const BatchedInput& input : inputs) values.push_back(repeated(input, size));
  return values;
}

Tensor with_element_rank(const Tensor& x, int rank) {
  const Shape& shape = x.shape();
  if (shape.rank() == rank + 1) return x;
  Shape wider{shape[0]};
  while (wider.rank() + shape.rank() - 1 < rank + 1) wider.push_back(1);
  return reshape(x, wider + shape.slice(1, shape.rank()));
}

Tensors aligned(Inputs inputs) {
  int rank = 0;
  for (const BatchedInput& input : inputs) rank = std::max(rank, element_shape(input).rank());
  Tensors values;
  for (const BatchedInput& input : inputs)
    values.push_back(input.batched ? with_element_rank(input.value, rank) : input.value);
  return values;
}

Axes behind(const Axes& axes, int rank) {
  std::vector<int64_t> moved;
  if (axes.all())
    for (int i = 1; i <= rank; ++i) moved.push_back(i);
  else
    for (int64_t axis : axes.given()) moved.push_back(behind(axis));
  return moved;
}

Tensor folded(const Tensor& x) {
  const Shape& shape = x.shape();
  return reshape(x, Shape{shape[0] * shape[1]} + shape.slice(2, shape.rank()));
}

Tensor unfolded(const Tensor& x, int64_t size) {
  const Shape& shape = x.shape();
  return reshape(x, Shape{size, shape[0] / size} + shape.slice(1, shape.rank()));
}

Tensor moved_axis(const Tensor& x, int from, int to) {
  if (from == to) return x;
  std::vector<int64_t> order;
  for (int i = 0; i < x.rank(); ++i)
    if (i != from) order.push_back(i);
  order.insert(order.begin() + to, from);
  return transpose(x, order);
}

Tensor merged(const Tensor& x, int axis) {
  const Tensor beside = moved_axis(x, 0, axis);
  const Shape& shape = beside.shape();
  return reshape(beside, shape.slice(0, axis) + Shape{shape[axis] * shape[axis + 1]} +
                             shape.slice(axis + 2, shape.rank()));
}

Tensor parted(const Tensor& x, int axis, int64_t size) {
  const Shape& shape = x.shape();
  const Tensor beside = reshape(x, shape.slice(0, axis) + Shape{size, shape[axis] / size} +
                                       shape.slice(axis + 1, shape.rank()));
  return moved_axis(beside, axis, 0);
}

Tensors with_leading(const Op& op, Inputs inputs, int64_t size) {
  return call_all(op, all_repeated(inputs, size));
}

Tensors with_folded(const Op& op, Inputs inputs, int64_t size) {
  Tensors values = all_repeated(inputs, size);
  for (Tensor& value : values) value = folded(value);
  Tensors outputs = call_all(op, values);
  for (Tensor& output : outputs) output = unfolded(output, size);
  return outputs;
}

Tensors made_once(const Op& op, int64_t size) {
  Tensors outputs = call_all(op, {});
  for (Tensor& output : outputs) output = broadcast_to(output, Shape{size} + output.shape());
  return outputs;
}

Tensors in_loop(const Op& op, Inputs inputs, int64_t size) {
  std::vector<Tensors> elements;  // of each input
  for (const BatchedInput& input : inputs)
    elements.push_back(input.batched ? unstack(input.value) : Tensors{input.value});
  std::vector<std::vector<Tensor>> results;  // of each output
  for (int64_t i = 0; i < size; ++i) {
    Tensors values;
    for (size_t k = 0; k < inputs.size(); ++k)
      values.push_back(elements[k][inputs[k].batched ? static_cast<size_t>(i) : 0]);
    const Tensors outputs = call_all(op, values);
    results.resize(outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) results[k].push_back(outputs[k]);
  }
  Tensors stacked;
  for (const std::vector<Tensor>& result : results) stacked.push_back(stack(result));
  return stacked;
}

}  // namespace alula::batching
