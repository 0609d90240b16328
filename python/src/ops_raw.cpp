#include <set>

#include "alula/ops/table.h"
#include "python/src/ops.h"

// What the table of ops says, and the ops that no function of TensorFlow's names stands for.
namespace alula::python {
namespace {

/// Notes the names of the ops that run in its thread.
class Names final : public Listener {
 public:
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
    names.insert(op.name());
    names.insert(op.type().name);
  }
  std::set<std::string> names;
};

void bind_table(nb::module_& m) {
  m.def(
      "_op_names",
      [] {
        nb::list names;
        for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
          names.append(type->name);
        for (const Elementwise* op : elementwise_table()) names.append(op->name());
        return names;
      },
      "All ops: structured ones, and elementwise ones.");
  m.def(
      "_ops_run",
      [](const nb::callable& function) {
        Names heard;
        function();
        nb::list names;
        for (const std::string& name : heard.names) names.append(name);
        return names;
      },
      "function"_a, "The ops that run while a function is called.");
}

}  // namespace

void bind_ops_raw(nb::module_& m) {
  bind_table(m);
  nb::module_ raw = m.def_submodule("raw_ops", "Ops of Alula's own.");
  def_unary(raw, {"hard_sigmoid", &hard_sigmoid,
                  "A line between 0 and 1 for x from -3 to 3, elementwise."});
  def_unary(raw, {"mish", &mish, "x * tanh(softplus(x)), elementwise."});
  raw.def(
      "mul_add",
      [](Like a, Like b, Like c) {
        const Pair pair(a, b);
        const Tensor last = c.tensor(pair.a.dtype());
        return computed(pair.work(), [&] { return mul_add(pair.a, pair.b, last); });
      },
      "a"_a, "b"_a, "c"_a, described("a * b + c, elementwise.", mul_add).c_str());
  raw.def(
      "batch_norm",
      [](Like x, Like gamma, Like beta, int64_t axis, double epsilon) {
        const Tensor tensor = x.tensor();
        const Tensor scale = gamma.tensor(tensor.dtype()), shift = beta.tensor(tensor.dtype());
        const BatchNormResult result = without_lock(work_of(tensor), [&] {
          return batch_norm(tensor, scale, shift, {.axis = axis, .epsilon = epsilon});
        });
        return nb::make_tuple(wrap(result.y), wrap(result.mean), wrap(result.variance));
      },
      "x"_a, "gamma"_a, "beta"_a, "axis"_a = -1, "epsilon"_a = 1e-3,
      described("Each channel with mean 0 and variance 1, then times gamma plus beta; and the mean "
                "and variance that it had.",
                "batch_norm")
          .c_str());
}

}  // namespace alula::python
