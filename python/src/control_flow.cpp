#include "alula/graph/control/loop.h"
#include "alula/graph/vectorized_map.h"
#include "python/src/module.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

std::vector<Tensor> tensors_of(nb::handle list) {
  std::vector<Tensor> tensors;
  for (const nb::handle value : list) tensors.push_back(to_tensor(value));
  return tensors;
}

/// Python functions as C++ ones. Their lists are of tensors; nests are Python's business.
graph::TracedFunction of_list(nb::handle function) {
  return [function = Held(function)](const std::vector<Tensor>& values) {
    const nb::gil_scoped_acquire lock;
    return tensors_of(function.get()(wrap_all(values)));
  };
}
std::function<std::vector<Tensor>()> of_nothing(nb::handle function) {
  return [function = Held(function)] {
    const nb::gil_scoped_acquire lock;
    return tensors_of(function.get()());
  };
}
std::function<Tensor(const std::vector<Tensor>&)> condition_of(nb::handle function) {
  return [function = Held(function)](const std::vector<Tensor>& values) {
    const nb::gil_scoped_acquire lock;
    return to_tensor(function.get()(wrap_all(values)));
  };
}
ScanFunction scan_of(nb::handle function) {
  return [function = Held(function)](const std::vector<Tensor>& accumulated,
                                     const std::vector<Tensor>& elements) {
    const nb::gil_scoped_acquire lock;
    return tensors_of(function.get()(wrap_all(accumulated), wrap_all(elements)));
  };
}

nb::list bound_while_loop(nb::handle condition, nb::handle body, const nb::list& variables,
                          nb::handle shape_invariants, int64_t maximum_iterations) {
  WhileLoopOptions options{.maximum_iterations = maximum_iterations};
  if (!shape_invariants.is_none())
    for (const nb::handle shape : shape_invariants)
      options.shape_invariants.push_back(to_shape(shape));
  const auto test = condition_of(condition);
  const auto step = of_list(body);
  const std::vector<Tensor> start = tensors_of(variables);
  return wrap_all(without_lock([&] { return while_loop(test, step, start, options); }));
}

/// A loop over the rows of a tensor in a function that is being traced: (row, carried…) -> carried.
nb::list for_rows(Like rows, const nb::list& carried, nb::handle body) {
  graph::LoopRequest request{.name = "for", .function = "loop", .variable = "variable"};
  request.sources = {graph::LoopSource::of_rows(rows.tensor())};
  request.carried = tensors_of(carried);
  for (const Tensor& tensor : request.carried) request.carried_specs.push_back(tensor.spec());
  request.step = of_list(body);
  return wrap_all(without_lock([&] { return graph::make_loop(request).carried; }));
}

}  // namespace

void bind_control_flow(nb::module_& m) {
  m.def("_cond", [](Like pred, nb::handle true_fn, nb::handle false_fn) {
    const auto then = of_nothing(true_fn), otherwise = of_nothing(false_fn);
    const Tensor predicate = pred.tensor();
    return wrap_all(without_lock([&] { return cond(predicate, then, otherwise); }));
  });
  m.def("_while_loop", &bound_while_loop, "condition"_a, "body"_a, "variables"_a,
        "shape_invariants"_a.none(), "maximum_iterations"_a);
  m.def("_for_rows", &for_rows);
  m.def("_map_fn", [](nb::handle fn, const nb::list& elems) {
    const auto function = of_list(fn);
    const std::vector<Tensor> tensors = tensors_of(elems);
    return wrap_all(without_lock([&] { return map_fn(function, tensors); }));
  });
  m.def("_vectorized_map", [](nb::handle fn, const nb::list& elems) {
    const auto function = of_list(fn);
    const std::vector<Tensor> tensors = tensors_of(elems);
    return wrap_all(without_lock([&] { return graph::map_vectorized(function, tensors); }));
  });
  m.def("_scan",
        [](nb::handle fn, const nb::list& elems, const nb::list& initializer, bool reverse) {
          const ScanFunction function = scan_of(fn);
          const std::vector<Tensor> tensors = tensors_of(elems), start = tensors_of(initializer);
          return wrap_all(
              without_lock([&] { return scan(function, tensors, start, {.reverse = reverse}); }));
        });
  m.def("_switch_case", [](Like branch_index, const nb::list& branch_fns) {
    std::vector<std::function<std::vector<Tensor>()>> functions;
    for (const nb::handle function : branch_fns) functions.push_back(of_nothing(function));
    const Tensor index = branch_index.tensor();
    return wrap_all(without_lock([&] { return switch_case(index, functions); }));
  });
}

}  // namespace alula::python
