#include "alula/graph/compat/graph_state.h"
#include "python/src/compat.h"
#include "python/src/dtype.h"
#include "python/src/ops.h"
#include "python/src/tensor.h"

// Variables of graphs. They are objects of class Variable, as eager ones are; their value is the
// symbolic tensor that stands for them.
namespace alula::python {

bool is_graph_variable(const Variable& variable) { return variable.storage().is_symbolic(); }

Variable graph_variable(const v1::Variable& variable) {
  Variable made(Tensor(0), {.trainable = variable.trainable(), .name = variable.name()});
  made.storage() = variable;
  return made;
}

Variable graph_variable(nb::handle initial_value, DTypeLike dtype, const VariableOptions& options) {
  const Tensor value =
      dtype.is_none() ? to_tensor(initial_value) : to_tensor(initial_value, dtype.get());
  return graph_variable(
      v1::Variable(value, {.trainable = options.trainable, .name = options.name}));
}

v1::Variable as_v1(const Variable& variable) {
  const Tensor symbol = is_graph_variable(variable)
                            ? variable.storage()
                            : v1::get_default_graph().state().read(variable);
  return v1::Variable::of(symbol, "variable");
}

const Variable& variable_of(nb::handle object, const char* who) {
  const Variable* variable = held_variable(object);
  if (variable == nullptr)
    throw nb::type_error(fmt::format("{}: expected a variable. Got {} (a {}).", who,
                                     nb::repr(object).c_str(), nb::type_name(object.type()).c_str())
                             .c_str());
  return *variable;
}

namespace {

using v1::Initializer;

random::Seed seed_of(nb::handle seed) {
  return seed.is_none() ? random::Seed() : random::Seed(nb::cast<int64_t>(seed));
}

/// A value in every variable: broadcast if it is one number, else in the variable's shape.
Initializer constant_initializer(const Tensor& value) {
  return Initializer([value](const Shape& shape, DType dtype) {
    const Tensor typed = value.dtype() == dtype ? value : cast(value, dtype);
    return typed.size() == 1 ? broadcast_to(reshape(typed, {}), shape) : reshape(typed, shape);
  });
}

/// What get_variable takes for one: ours, a function or object of Python that is called with shape
/// and dtype, or a value.
Initializer to_initializer(nb::handle given, const std::optional<DType>& dtype) {
  if (given.is_none()) return {};
  if (nb::isinstance<Initializer>(given)) return *nb::inst_ptr<Initializer>(given);
  if (is_tensor_like(given))
    return Initializer(dtype ? to_tensor(given, *dtype) : to_tensor(given));
  const nb::object callable =
      PyType_Check(given.ptr()) != 0 ? given() : nb::borrow(given);  // a class: its defaults
  if (nb::isinstance<Initializer>(callable)) return *nb::inst_ptr<Initializer>(callable);
  return Initializer([held = Held(callable)](const Shape& shape, DType dtype) {
    const nb::gil_scoped_acquire lock;
    const nb::object value = held.get()(wrap(shape), wrap(dtype));
    return to_tensor(value, dtype);
  });
}

nb::object get_variable(const std::string& name, ShapeLike shape, DTypeLike dtype,
                        nb::handle initializer, bool trainable) {
  std::optional<DType> wanted;
  if (!dtype.is_none()) wanted = dtype.get();
  const Initializer made = to_initializer(initializer, wanted);
  const DType type = wanted ? *wanted : made.value().defined() ? made.value().dtype() : float32;
  require(!shape.is_none() || made.value().defined(),
          "get_variable: '{}' needs a shape, or an initializer that is a value.", name);
  return object_of(
      graph_variable(v1::get_variable(name, {.shape = shape.is_none() ? Shape() : shape.get(),
                                             .dtype = type,
                                             .initializer = made,
                                             .trainable = trainable})));
}

nb::list listed(const std::vector<v1::Variable>& variables) {
  nb::list list;
  for (const v1::Variable& variable : variables) list.append(object_of(graph_variable(variable)));
  return list;
}

template <Tensor (*kAssign)(const v1::Variable&, const Tensor&)>
void def_assign(nb::module_& m, const char* name, const char* argument, const char* doc) {
  m.def(
      name,
      [name](nb::handle ref, Like value, nb::handle, nb::handle, nb::handle) {
        const Variable& variable = variable_of(ref, name);
        return wrap(kAssign(as_v1(variable), value.tensor(variable.dtype())));
      },
      "ref"_a, nb::arg(argument), "validate_shape"_a = nb::none(), "use_locking"_a = nb::none(),
      "name"_a = nb::none(), doc);
}

void bind_initializers(nb::module_& m) {
  nb::class_<Initializer>(m, "Initializer", "How a variable's initial value is made.")
      .def(
          "__call__",
          [](const Initializer& self, ShapeLike shape, DTypeLike dtype, nb::handle) {
            return wrap(self(shape.get(), dtype.value_or(float32)));
          },
          "shape"_a, "dtype"_a = nb::none(), "partition_info"_a = nb::none());
  m.def(
      "zeros_initializer", [](nb::handle) { return v1::zeros_initializer(); },
      "dtype"_a = nb::none(), "Zeros.");
  m.def(
      "ones_initializer", [](nb::handle) { return v1::ones_initializer(); }, "dtype"_a = nb::none(),
      "Ones.");
  m.def(
      "constant_initializer",
      [](Like value, nb::handle, nb::handle) { return constant_initializer(value.tensor()); },
      "value"_a = 0, "dtype"_a = nb::none(), "verify_shape"_a = nb::none(),
      "One number everywhere, or these values.");
  m.def(
      "random_normal_initializer",
      [](double mean, double stddev, nb::handle seed, nb::handle) {
        return v1::random_normal_initializer(
            {.mean = mean, .stddev = stddev, .seed = seed_of(seed)});
      },
      "mean"_a = 0.0, "stddev"_a = 1.0, "seed"_a = nb::none(), "dtype"_a = nb::none(),
      "Normally distributed numbers.");
  m.def(
      "truncated_normal_initializer",
      [](double mean, double stddev, nb::handle seed, nb::handle) {
        return v1::truncated_normal_initializer(
            {.mean = mean, .stddev = stddev, .seed = seed_of(seed)});
      },
      "mean"_a = 0.0, "stddev"_a = 1.0, "seed"_a = nb::none(), "dtype"_a = nb::none(),
      "Normally distributed numbers within two standard deviations.");
  m.def(
      "random_uniform_initializer",
      [](double minval, double maxval, nb::handle seed, nb::handle) {
        return v1::random_uniform_initializer(
            {.minval = minval, .maxval = maxval, .seed = seed_of(seed)});
      },
      "minval"_a = 0.0, "maxval"_a = 1.0, "seed"_a = nb::none(), "dtype"_a = nb::none(),
      "Evenly distributed numbers.");
  m.def(
      "glorot_uniform_initializer",
      [](nb::handle seed, nb::handle) { return v1::glorot_uniform_initializer(seed_of(seed)); },
      "seed"_a = nb::none(), "dtype"_a = nb::none(), "What get_variable uses by itself.");
  m.def(
      "glorot_normal_initializer",
      [](nb::handle seed, nb::handle) { return v1::glorot_normal_initializer(seed_of(seed)); },
      "seed"_a = nb::none(), "dtype"_a = nb::none(), "Its normally distributed sibling.");
}

}  // namespace

void bind_compat_variables(nb::module_& m) {
  bind_initializers(m);
  m.def(
      "_get_variable",
      [](const std::string& name, ShapeLike shape, DTypeLike dtype, nb::handle initializer,
         bool trainable) { return get_variable(name, shape, dtype, initializer, trainable); },
      "name"_a, "shape"_a.none(), "dtype"_a.none(), "initializer"_a.none(), "trainable"_a);
  m.def("_initial_value",
        [](const Variable& variable) { return wrap(as_v1(variable).initial_value()); });
  m.def(
      "global_variables", [](nb::handle) { return listed(v1::global_variables()); },
      "scope"_a = nb::none(), "The variables of the default graph, in order.");
  m.def(
      "trainable_variables", [](nb::handle) { return listed(v1::trainable_variables()); },
      "scope"_a = nb::none(), "Those of them that are trained.");
  m.def("global_variables_initializer", &v1::global_variables_initializer,
        "Gives all variables of the default graph their initial values.");
  m.def(
      "variables_initializer",
      [](nb::handle var_list, nb::handle) {
        std::vector<v1::Variable> variables;
        for (const nb::handle item : var_list) {
          const Variable& variable = variable_of(item, "variables_initializer");
          // One that was made eagerly has its value already.
          if (is_graph_variable(variable)) variables.push_back(as_v1(variable));
        }
        return v1::variables_initializer(variables);
      },
      "var_list"_a, "name"_a = nb::none(), "Gives these variables their initial values.");
  def_assign<&v1::assign>(m, "assign", "value", "A tensor that, when run, sets a variable.");
  def_assign<&v1::assign_add>(m, "assign_add", "value",
                              "A tensor that, when run, adds to a variable.");
  def_assign<&v1::assign_sub>(m, "assign_sub", "value",
                              "A tensor that, when run, subtracts from a variable.");
}

}  // namespace alula::python
