#include "python/src/ops.h"

#include "python/src/module.h"

namespace alula::python {
namespace {

std::string last_line(DTypeSet dtypes, bool differentiable) {
  std::string line = dtypes == kAnyType         ? "any dtype"
                     : dtypes == kNumericOrBool ? "numbers and bool"
                     : dtypes == kNumeric       ? "numbers"
                     : dtypes == kFloating      ? "floating types"
                     : dtypes == kIntegers      ? "integers"
                                                : to_string(dtypes);
  return "\n\nTakes " + line + (differentiable ? "." : "; has no gradient.");
}

Tensor constant_of(nb::handle value, DTypeLike dtype, nb::handle shape) {
  Tensor tensor = dtype.is_none() ? to_tensor(value) : to_tensor(value, dtype.get());
  if (shape.is_none()) return tensor;
  const Shape wanted = to_shape(shape);
  if (tensor.size() == 1) return broadcast_to(reshape(tensor, {}), wanted);
  return reshape(tensor, wanted);
}

}  // namespace

std::string described(const std::string& doc, const Elementwise& op) {
  return doc + last_line(op.dtypes(), !op.options().gradient.is_none());
}

std::string described(const std::string& doc, std::string_view op) {
  for (const OpType* type = all_op_types(); type != nullptr; type = type->next)
    if (op == type->name) return doc + last_line(type->dtypes, type->differentiable);
  return doc;  // not in the table: an op of another folder
}

void def_unary(nb::module_& m, const NamedElementwise& function) {
  m.def(
      function.name,
      [op = function.op](Like x, nb::handle) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor), [&] { return (*op)(tensor); });
      },
      nb::arg(function.x), name_argument(), described(function.doc, *function.op).c_str());
}

void def_binary(nb::module_& m, const NamedElementwise& function) {
  m.def(
      function.name,
      [op = function.op](Like x, Like y, nb::handle) {
        const Pair pair(x, y);
        return computed(pair.work(), [&] { return (*op)(pair.a, pair.b); });
      },
      nb::arg(function.x), nb::arg(function.y), name_argument(),
      described(function.doc, *function.op).c_str());
}

void def_of_one(nb::module_& m, const char* name, const char* argument, Tensor (*f)(const Tensor&),
                const std::string& doc) {
  m.def(
      name,
      [f](Like x, nb::handle) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor), [&] { return f(tensor); });
      },
      nb::arg(argument), name_argument(), doc.c_str());
}

void def_of_two(nb::module_& m, const char* name, const char* a, const char* b,
                Tensor (*f)(const Tensor&, const Tensor&), const std::string& doc) {
  m.def(
      name,
      [f](Like a, Like b, nb::handle) {
        const Pair pair(a, b);
        return computed(pair.work(), [&] { return f(pair.a, pair.b); });
      },
      nb::arg(a), nb::arg(b), name_argument(), doc.c_str());
}

void def_reduction(nb::module_& m, const char* name,
                   Tensor (*f)(const Tensor&, const ReduceOptions&), const std::string& doc) {
  m.def(
      name,
      [f](Like input_tensor, nb::handle axis, nb::handle keepdims, nb::handle) {
        const Tensor x = input_tensor.tensor();
        const ReduceOptions options{.axis = to_axes(axis),
                                    .keepdims = PyObject_IsTrue(keepdims.ptr()) == 1};
        return computed(work_of(x), [&] { return f(x, options); });
      },
      "input_tensor"_a, "axis"_a = nb::none(), "keepdims"_a = false, name_argument(), doc.c_str());
}

Axes to_axes(nb::handle axis) { return axis.is_none() ? Axes() : Axes(to_ints(axis, "axis")); }

int64_t to_int(nb::handle value, const char* who, int64_t other) {
  if (value.is_none()) return other;
  const std::vector<int64_t> ints = to_ints(value, who);
  require(ints.size() == 1, "{}: must be one integer. Got {} of them.", who, ints.size());
  return ints[0];
}

Ints to_short_ints(nb::handle value, const char* who) {
  Ints ints;
  for (const int64_t i : to_ints(value, who)) {
    require(ints.size() < kMaxRank, "{}: more than {} integers.", who, kMaxRank);
    ints.push_back(i);
  }
  return ints;
}

Number to_number(const Tensor& scalar, const char* who) {
  require(!scalar.is_symbolic(), "{}: must have a value now, not when a graph runs. Got {}.", who,
          scalar.spec());
  require(scalar.size() == 1 && scalar.dtype() != string, "{}: must be one number. Got {}.", who,
          scalar.spec());
  const WithoutTracing now;  // also where a graph is built
  const Tensor host = reshape(scalar, {}).cpu();
  if (is_floating(host.dtype())) return cast(host, float64).item<double>();
  if (host.dtype() == boolean) return host.item<bool>();
  if (host.dtype() == uint64) return host.item<uint64_t>();
  return cast(host, int64).item<int64_t>();
}

random::Seed to_seed(nb::handle seed) {
  return seed.is_none() ? random::Seed() : random::Seed(to_int(seed, "seed"));
}

std::string to_text(nb::handle value, const char* who) {
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  const Tensor text = to_tensor(value);
  require(text.dtype() == string && text.rank() == 0 && !text.is_symbolic(),
          "{}: must be one text. Got {}.", who, text.spec());
  return text.item<std::string>();
}

void bind_ops(nb::module_& m) {
  m.def(
      "constant",
      [](nb::handle value, DTypeLike dtype, nb::handle shape, nb::handle) {
        return wrap(constant_of(value, dtype, shape));
      },
      "value"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "name"_a = "Const",
      "A tensor from numbers, texts, lists or arrays.\n\n>>> tf.constant([1, 2]).dtype\ntf.int32");
  m.def(
      "convert_to_tensor",
      [](nb::handle value, DTypeLike dtype, DTypeLike dtype_hint, nb::handle) {
        if (!dtype.is_none()) return wrap(to_tensor(value, dtype.get()));
        return wrap(dtype_hint.is_none() ? to_tensor(value)
                                         : to_tensor_like(value, dtype_hint.get()));
      },
      "value"_a, "dtype"_a = nb::none(), "dtype_hint"_a = nb::none(), name_argument(),
      "A tensor from whatever can be one.");
  bind_ops_raw(m);
}

}  // namespace alula::python
