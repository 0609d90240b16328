#include "alula/ops/host_function.h"

#include "python/src/module.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

/// What a Python function returned, as a list of tensors of these dtypes.
std::vector<Tensor> results_of(nb::handle result, const std::vector<Spec>& specs) {
  std::vector<Tensor> tensors;
  if (specs.empty()) return tensors;
  const auto add = [&](nb::handle value) {
    require(tensors.size() < specs.size(),
            "py_function: it returned more than the {} tensors of Tout.", specs.size());
    tensors.push_back(to_tensor(value, specs[tensors.size()].dtype));
  };
  if (PyList_Check(result.ptr()) || PyTuple_Check(result.ptr())) {
    // A list for a single result is the result.
    if (specs.size() == 1 && nb::len(result) != 1)
      add(result);
    else
      for (const nb::handle value : result) add(value);
  } else {
    add(result);
  }
  require(tensors.size() == specs.size(), "py_function: it returned {} tensors. Tout has {}.",
          tensors.size(), specs.size());
  return tensors;
}

}  // namespace

void bind_host_function(nb::module_& m) {
  m.def("_host_function", [](nb::handle function, const nb::list& inputs, const nb::list& specs) {
    std::vector<Tensor> tensors;
    for (const nb::handle input : inputs) tensors.push_back(to_tensor(input));
    std::vector<Spec> outputs;
    for (const nb::handle spec : specs) outputs.push_back({to_dtype(spec[0]), to_shape(spec[1])});
    const auto call = [function = Held(function), outputs](const std::vector<Tensor>& values) {
      const nb::gil_scoped_acquire lock;
      return results_of(function.get()(*nb::tuple(wrap_all(values))), outputs);
    };
    return wrap_all(without_lock([&] { return host_function(call, tensors, outputs); }));
  });
}

}  // namespace alula::python
