#include "python/src/ops.h"

#include "python/src/dtype.h"
#include "python/src/module.h"

namespace alula::python {

void def_unary(nb::module_& m, const char* name, const Elementwise& op, const char* doc) {
  m.def(
      name,
      [&op](Like x, nb::handle) {
        const Tensor tensor = x.tensor();
        return computed(work_of(tensor), [&] { return op(tensor); });
      },
      "x"_a, name_argument(), doc);
}

void def_binary(nb::module_& m, const char* name, const Elementwise& op, const char* doc) {
  m.def(
      name,
      [&op](Like x, Like y, nb::handle) {
        const Pair pair(x, y);
        return computed(pair.work(), [&] { return op(pair.a, pair.b); });
      },
      "x"_a, "y"_a, name_argument(), doc);
}

namespace {

Tensor constant_of(nb::handle value, DTypeLike dtype, nb::handle shape) {
  Tensor tensor = dtype.is_none() ? to_tensor(value) : to_tensor(value, dtype.get());
  if (shape.is_none()) return tensor;
  const Shape wanted = to_shape(shape);
  if (tensor.size() == 1) return broadcast_to(reshape(tensor, {}), wanted);
  return reshape(tensor, wanted);
}

}  // namespace

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
  m.def(
      "matmul",
      [](Like a, Like b, bool transpose_a, bool transpose_b, const nb::kwargs&) {
        const Pair pair(a, b);
        return computed(pair.work(), [&] {
          return matmul(pair.a, pair.b, {.transpose_a = transpose_a, .transpose_b = transpose_b});
        });
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "transpose_b"_a = false, "kwargs"_a,
      "The product of two matrices. Leading dimensions are batches, and broadcast.\n\n"
      ">>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()\narray([[11.]], dtype=float32)");
}

}  // namespace alula::python
