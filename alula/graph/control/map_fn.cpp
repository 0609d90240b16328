#include "alula/graph/control/map_fn.h"

#include "alula/graph/control/elements.h"
#include "alula/graph/control/loop.h"

namespace alula {
namespace {

constexpr const char* kName = "map_fn";

/// Outside of traces: a loop of C++.
std::vector<Tensor> run_now(const graph::TracedFunction& fn, const std::vector<Tensor>& elems,
                            int64_t count) {
  std::vector<std::vector<Tensor>> elements, results;
  std::vector<Spec> specs;
  for (const Tensor& elem : elems) {
    elements.push_back(graph::elements_of(elem));
    specs.push_back(graph::element_spec(elem.spec()));
  }
  if (count == 0) return graph::empty_results(fn, specs);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Tensor> in;
    for (const std::vector<Tensor>& list : elements) in.push_back(list[static_cast<size_t>(i)]);
    results.push_back(fn(in));
  }
  return graph::stack_results(kName, results);
}

}  // namespace

std::vector<Tensor> map_fn(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fn,
                           const std::vector<Tensor>& elems) {
  require(fn != nullptr, "{}: there is no function to call.", kName);
  const int64_t count = graph::count_elements(kName, elems);
  if (!t_state.tracing()) return run_now(fn, elems, count);
  graph::LoopRequest request{.name = kName, .function = "function", .variable = "result"};
  for (const Tensor& elem : elems) request.sources.push_back(graph::LoopSource::of_rows(elem));
  request.step = fn;
  return graph::make_loop(request).products;
}

}  // namespace alula
