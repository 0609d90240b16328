#include "alula/keras/layers/merge.h"

#include <algorithm>

#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/maximum.h"
#include "alula/ops/minimum.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"

namespace alula::keras {
namespace {

std::vector<Tensor> with_one_dtype(std::vector<Tensor> inputs) {
  const auto floating = std::find_if(
      inputs.begin(), inputs.end(), [](const Tensor& input) { return is_floating(input.dtype()); });
  if (floating == inputs.end()) return inputs;
  const DType dtype = floating->dtype();
  for (Tensor& input : inputs) input = cast(input, dtype);
  return inputs;
}

template <class F>
Tensor folded(const std::vector<Tensor>& inputs, const F& combine) {
  Tensor result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) result = combine(result, inputs[i]);
  return result;
}

}  // namespace

std::vector<Tensor> aligned(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> result = with_one_dtype(inputs);
  int rank = 0;
  for (const Tensor& input : result) rank = std::max(rank, input.rank());
  for (Tensor& input : result)
    while (input.rank() < rank) input = expand_dims(input, std::min(input.rank(), 1));
  return result;
}

Tensor AddImpl::merge(const std::vector<Tensor>& inputs) const { return folded(inputs, add); }

Tensor SubtractImpl::merge(const std::vector<Tensor>& inputs) const {
  require(inputs.size() == 2, "takes two inputs. Got {}.", inputs.size());
  return inputs[0] - inputs[1];
}

Tensor MultiplyImpl::merge(const std::vector<Tensor>& inputs) const { return folded(inputs, mul); }

Tensor AverageImpl::merge(const std::vector<Tensor>& inputs) const {
  const Tensor sum = cast(folded(inputs, add),
                          is_floating(inputs[0].dtype()) ? inputs[0].dtype() : compute_dtype());
  return inputs.size() == 1 ? sum : mul(sum, 1.0 / static_cast<double>(inputs.size()));
}

Tensor MaximumImpl::merge(const std::vector<Tensor>& inputs) const {
  return folded(inputs, maximum);
}

Tensor MinimumImpl::merge(const std::vector<Tensor>& inputs) const {
  return folded(inputs, minimum);
}

Tensor ConcatenateImpl::call(const Tensor& x) {
  fail("takes a list of inputs. Got {} alone. Write {{a, b}}.", x.spec());
}

std::vector<Tensor> ConcatenateImpl::call_all(const std::vector<Tensor>& inputs) {
  return {concat(with_one_dtype(inputs), options.axis)};
}

}  // namespace alula::keras
