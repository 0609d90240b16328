#include "alula/graph/control/elements.h"

#include <algorithm>

#include "alula/ops/concat.h"
#include "alula/ops/split.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {

int64_t count_elements(const char* who, std::span<const Tensor> elems) {
  require(!elems.empty(), "{}: there is no tensor. Give it at least one.", who);
  for (const Tensor& elem : elems) {
    require(elem.defined(), "{}: a tensor is not defined yet.", who);
    require(elem.rank() > 0, "{}: a scalar has no elements. Got {}.", who, elem.spec());
    const int64_t first = elems[0].shape()[0], count = elem.shape()[0];
    require(count == first || count == kUnknown || first == kUnknown,
            "{}: the numbers of elements differ, {} and {}. Got {}, {}.", who, first, count,
            elems[0].spec(), elem.spec());
  }
  for (const Tensor& elem : elems)
    if (elem.shape()[0] != kUnknown) return elem.shape()[0];
  return kUnknown;
}

std::vector<Tensor> elements_of(const Tensor& elems) {
  if (elems.shape()[0] == 0) return {};
  const Tensors elements = unstack(elems);
  return {elements.begin(), elements.end()};
}

std::vector<Tensor> stack_results(const char* who, std::span<const std::vector<Tensor>> results) {
  std::vector<Tensor> stacked;
  for (const std::vector<Tensor>& one : results)
    require(one.size() == results[0].size(),
            "{}: the function returned {} tensors for an element, and {} for another.", who,
            results[0].size(), one.size());
  for (size_t k = 0; k < results[0].size(); ++k) {
    std::vector<Tensor> values;
    for (const std::vector<Tensor>& one : results) {
      require(one[k].defined(), "{}: result {} is not defined.", who, k);
      require(one[k].spec() == results[0][k].spec(),
              "{}: result {} must be the same for all elements. Got {} and {}.", who, k,
              results[0][k].spec(), one[k].spec());
      values.push_back(one[k]);
    }
    stacked.push_back(stack(values));
  }
  return stacked;
}

std::vector<Tensor> empty_results(const TracedFunction& function, std::span<const Spec> inputs) {
  const Unheard unheard;
  const Graph graph = trace(function, inputs);
  std::vector<Tensor> results;
  for (const Value& output : graph.outputs) {
    Shape shape = Shape{0} + graph.spec(output).shape;
    std::replace(&shape[0], &shape[0] + shape.rank(), kUnknown, int64_t{0});
    results.push_back(Tensor::uninitialized(graph.spec(output).with(shape)));
  }
  return results;
}

Spec element_spec(const Spec& elems) { return elems.with(elems.shape.slice(1, elems.rank())); }

}  // namespace alula::graph
