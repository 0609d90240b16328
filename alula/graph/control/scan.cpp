#include "alula/graph/control/scan.h"

#include "alula/graph/control/elements.h"
#include "alula/graph/control/loop.h"
#include "alula/ops/concat.h"
#include "alula/ops/reshape.h"
#include "alula/ops/slice.h"

namespace alula {
namespace {

constexpr const char* kName = "scan";

void check_results(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  require(after.size() == before.size(),
          "{}: the function returns {} tensors. There must be {}, one an accumulator.", kName,
          after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    require(after[i].defined(), "{}: accumulator {}, as the function returns it, is not defined.",
            kName, i);
    require(
        after[i].spec() == before[i].spec(),
        "{}: accumulator {} is {}, but the function returns {} for it. Its dtype and shape must "
        "stay the same.",
        kName, i, before[i].spec(), after[i].spec());
  }
}

/// Outside of traces: a loop of C++.
std::vector<Tensor> run_now(const ScanFunction& fn, const std::vector<Tensor>& elems,
                            std::vector<Tensor> accumulated, int64_t count, bool reverse) {
  if (count == 0) {
    std::vector<Tensor> none;
    for (const Tensor& start : accumulated)
      none.push_back(Tensor::uninitialized(start.spec().with(Shape{0} + start.shape())));
    return none;
  }
  std::vector<std::vector<Tensor>> elements, results(static_cast<size_t>(count));
  for (const Tensor& elem : elems) elements.push_back(graph::elements_of(elem));
  for (size_t k = 0; k < results.size(); ++k) {
    const size_t i = reverse ? results.size() - 1 - k : k;
    std::vector<Tensor> in;
    for (const std::vector<Tensor>& list : elements) in.push_back(list[i]);
    std::vector<Tensor> next = fn(accumulated, in);
    check_results(accumulated, next);
    results[i] = accumulated = std::move(next);
  }
  return graph::stack_results(kName, results);
}

std::vector<Tensor> make_node(const ScanFunction& fn, const std::vector<Tensor>& elems,
                              const std::vector<Tensor>& initializer, bool reverse) {
  graph::LoopRequest request{.name = kName, .function = "function", .variable = "accumulator"};
  for (const Tensor& elem : elems) request.sources.push_back(graph::LoopSource::of_rows(elem));
  request.carried = initializer;
  request.reverse = reverse;
  request.step = [&](const std::vector<Tensor>& in) {
    const auto middle = in.begin() + static_cast<std::ptrdiff_t>(elems.size());
    const std::vector<Tensor> accumulated(middle, in.end());
    std::vector<Tensor> results = fn(accumulated, {in.begin(), middle});
    check_results(accumulated, results);
    // What is carried on is a result as well.
    std::vector<Tensor> both = results;
    both.insert(both.end(), results.begin(), results.end());
    return both;
  };
  return graph::make_loop(request).products;
}

/// Begins with the first elements, which are the first results.
std::vector<Tensor> scan_from_first(const ScanFunction& fn, const std::vector<Tensor>& elems,
                                    int64_t count, const ScanOptions& options) {
  require(count != kUnknown && count > 0,
          "{}: without an initializer there must be at least one element. Got {}.", kName,
          elems[0].spec());
  const int64_t first = options.reverse ? count - 1 : 0;
  std::vector<Tensor> rest, start, firsts;
  for (const Tensor& elem : elems) {
    firsts.push_back(slice_along(elem, 0, first, 1));
    start.push_back(reshape(firsts.back(), elem.shape().slice(1, elem.rank())));
    rest.push_back(slice_along(elem, 0, options.reverse ? 0 : 1, count - 1));
  }
  std::vector<Tensor> results = scan(fn, rest, start, options);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] =
        options.reverse ? concat({results[i], firsts[i]}, 0) : concat({firsts[i], results[i]}, 0);
  return results;
}

}  // namespace

std::vector<Tensor> scan(const ScanFunction& fn, const std::vector<Tensor>& elems,
                         const std::vector<Tensor>& initializer, const ScanOptions& options) {
  require(fn != nullptr, "{}: there is no function to call.", kName);
  const int64_t count = graph::count_elements(kName, elems);
  if (initializer.empty()) return scan_from_first(fn, elems, count, options);
  for (const Tensor& start : initializer)
    require(start.defined(), "{}: an initializer is not defined yet.", kName);
  return t_state.tracing() ? make_node(fn, elems, initializer, options.reverse)
                           : run_now(fn, elems, initializer, count, options.reverse);
}

}  // namespace alula
