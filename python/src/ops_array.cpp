#include "python/src/module.h"
#include "python/src/ops.h"

// tf.*: other shapes, parts and compositions of tensors.
namespace alula::python {
namespace {

Shape known_shape(const Tensor& x, const char* who) {
  for (int i = 0; i < x.rank(); ++i)
    require(x.shape()[i] != kUnknown,
            "{}: a dimension is not known while this graph is made. Got {}. Give the input's "
            "shape, or use -1 where a shape is asked for.",
            who, x.spec());
  return x.shape();
}

Tensor shape_of(const Tensor& x, DType out_type) {
  const Shape shape = known_shape(x, "shape");
  Tensor dims = Tensor::uninitialized({int64, {shape.rank()}});
  for (int i = 0; i < shape.rank(); ++i) static_cast<int64_t*>(dims.mutable_data())[i] = shape[i];
  return cast(dims, out_type);
}

Paddings to_paddings(nb::handle paddings) {
  const Tensor all = cast(to_tensor(paddings), int64);
  require(all.rank() == 2 && all.shape()[1] == 2,
          "pad: the paddings must be [rank, 2]: before and after each dimension. Got {}.",
          all.spec());
  const std::vector<int64_t> sizes = all.to_vector<int64_t>();
  Paddings result;
  for (size_t i = 0; i + 1 < sizes.size(); i += 2) result.push_back({sizes[i], sizes[i + 1]});
  return result;
}

PadMode to_pad_mode(const std::string& mode) {
  std::string word = mode;
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  require(word == "CONSTANT" || word == "REFLECT" || word == "SYMMETRIC",
          "pad: the mode is CONSTANT, REFLECT or SYMMETRIC. Got {}.", mode);
  return word == "CONSTANT"  ? PadMode::kConstant
         : word == "REFLECT" ? PadMode::kReflect
                             : PadMode::kSymmetric;
}

Splits to_splits(nb::handle value) {
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  const Tensor sizes = to_tensor(value);
  if (sizes.rank() == 0) return to_int(value, "num_or_size_splits");
  return to_short_ints(value, "num_or_size_splits");
}

/// A function of a list of tensors and an axis.
template <Tensor (*kFunction)(std::span<const Tensor>, int64_t)>
TensorObject join(nb::handle values, nb::handle axis, nb::handle) {
  const std::vector<Tensor> all = to_tensors(values);
  int64_t work = 0;
  for (const Tensor& tensor : all) work += work_of(tensor);
  const int64_t along = to_int(axis, "axis");
  return computed(work, [&] { return kFunction(all, along); });
}

TensorObject concat_of(nb::handle values, nb::handle axis, nb::handle name) {
  if (held_tensor(values) != nullptr)
    return nb::borrow<TensorObject>(values);  // one tensor is a list of one
  return join<concat>(values, axis, name);
}

void bind_shapes(nb::module_& m) {
  m.def(
      "reshape",
      [](Like tensor, ShapeLike shape, nb::handle) {
        return wrap(reshape(tensor.tensor(), shape.get()));
      },
      "tensor"_a, "shape"_a, name_argument(),
      described("The same elements in another shape. One dimension may be -1: it takes what is "
                "left.\n\n>>> tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1]).shape\n"
                "TensorShape([3, 2])",
                "reshape")
          .c_str());
  m.def(
      "expand_dims",
      [](Like input, nb::handle axis, nb::handle) {
        return wrap(expand_dims(input.tensor(), to_int(axis, "axis")));
      },
      "input"_a, "axis"_a, name_argument(),
      described("A new dimension of size 1 before `axis`; -1 puts it last.", "expand_dims")
          .c_str());
  m.def(
      "squeeze",
      [](Like input, nb::handle axis, nb::handle) {
        const Tensor x = input.tensor();
        const std::vector<int64_t> axes = to_ints(axis, "axis");
        return wrap(squeeze(x, axes.empty() ? Axes() : Axes(axes)));
      },
      "input"_a, "axis"_a = nb::none(), name_argument(),
      described("Without the dimensions of size 1, or without those given.", "squeeze").c_str());
  m.def(
      "shape",
      [](Like input, DTypeLike out_type, nb::handle) {
        return wrap(shape_of(input.tensor(), out_type.value_or(int32)));
      },
      "input"_a, "out_type"_a = nb::none(), name_argument(),
      "The sizes of the dimensions. In a traced function they are known, and constant.\n\n"
      ">>> tf.shape([[1, 2, 3]]).numpy()\narray([1, 3], dtype=int32)");
  m.def(
      "shape_n",
      [](TensorsLike input, DTypeLike out_type, nb::handle) {
        nb::list shapes;
        for (const Tensor& x : input.get())
          shapes.append(wrap(shape_of(x, out_type.value_or(int32))));
        return shapes;
      },
      "input"_a, "out_type"_a = nb::none(), name_argument(), "The shapes of several tensors.");
  m.def(
      "size",
      [](Like input, DTypeLike out_type, nb::handle) {
        const Tensor x = input.tensor();
        return wrap(Tensor(Number(known_shape(x, "size").size()), out_type.value_or(int32)));
      },
      "input"_a, "out_type"_a = nb::none(), name_argument(), "The number of elements.");
  m.def(
      "rank", [](Like input, nb::handle) { return wrap(Tensor(input.tensor().rank())); }, "input"_a,
      name_argument(), "The number of dimensions.");
  m.def(
      "ensure_shape",
      [](Like x, nb::handle shape, nb::handle) {
        const Tensor tensor = x.tensor();
        const Shape wanted = to_shape(shape);
        require(compatible(tensor.shape(), wanted),
                "ensure_shape: the tensor does not have the shape {}. Got {}.", wanted,
                tensor.spec());
        return wrap(tensor);
      },
      "x"_a, "shape"_a, name_argument(),
      "The tensor itself; an error unless it has the shape, in which None is any size.");
  m.def(
      "broadcast_to",
      [](Like input, ShapeLike shape, nb::handle) {
        const Tensor x = input.tensor();
        const Shape to = shape.get();
        return computed(to.size(), [&] { return broadcast_to(x, to); });
      },
      "input"_a, "shape"_a, name_argument(),
      described("The tensor repeated to a shape that it broadcasts to.", "broadcast_to").c_str());
  m.def(
      "broadcast_static_shape",
      [](ShapeLike shape_x, ShapeLike shape_y) {
        return wrap(broadcast("broadcast_static_shape", shape_x.get(), shape_y.get()));
      },
      "shape_x"_a, "shape_y"_a, "The shape that two shapes broadcast to.");
}

void bind_orders(nb::module_& m) {
  m.def(
      "transpose",
      [](Like a, nb::handle perm, bool, nb::handle) {
        const Tensor x = a.tensor();
        const Axes order = to_axes(perm);
        return computed(work_of(x), [&] { return transpose(x, order); });
      },
      "a"_a, "perm"_a = nb::none(), "conjugate"_a = false, "name"_a = "transpose",
      described("The dimensions in another order; in reverse if none is given.\n\n"
                ">>> tf.transpose([[1, 2, 3], [4, 5, 6]]).shape\nTensorShape([3, 2])",
                "transpose")
          .c_str());
  m.def(
      "reverse",
      [](Like tensor, nb::handle axis, nb::handle) {
        const Tensor x = tensor.tensor();
        const Axes axes = to_axes(axis);
        return computed(work_of(x), [&] { return reverse(x, axes); });
      },
      "tensor"_a, "axis"_a, name_argument(),
      described("The elements in reverse order along some axes.", "reverse").c_str());
  m.def(
      "roll",
      [](Like input, nb::handle shift, nb::handle axis, nb::handle) {
        const Tensor x = input.tensor();
        const Ints by = to_short_ints(shift, "shift"), along = to_short_ints(axis, "axis");
        return computed(work_of(x), [&] { return roll(x, by, along); });
      },
      "input"_a, "shift"_a, "axis"_a, name_argument(),
      described("The elements moved on along an axis; what leaves at the end comes back at the "
                "start.\n\n>>> tf.roll([1, 2, 3, 4], 1, axis=0).numpy()\n"
                "array([4, 1, 2, 3], dtype=int32)",
                "roll")
          .c_str());
  m.def(
      "tile",
      [](Like input, nb::handle multiples, nb::handle) {
        const Tensor x = input.tensor();
        const Ints times = to_short_ints(multiples, "multiples");
        return computed(work_of(x), [&] { return tile(x, times); });
      },
      "input"_a, "multiples"_a, name_argument(),
      described("The tensor repeated so many times along each axis.", "tile").c_str());
  m.def(
      "pad",
      [](Like tensor, nb::handle paddings, const std::string& mode, Like constant_values,
         nb::handle) {
        const Tensor x = tensor.tensor();
        const Paddings sizes = to_paddings(paddings);
        const PadOptions options{
            .mode = to_pad_mode(mode),
            .constant_values = to_number(constant_values.tensor(x.dtype()), "constant_values")};
        return computed(work_of(x), [&] { return pad(x, sizes, options); });
      },
      "tensor"_a, "paddings"_a, "mode"_a = "CONSTANT", "constant_values"_a = 0, name_argument(),
      described("The tensor with a border: so many elements before and after each dimension.\n\n"
                ">>> tf.pad([1, 2, 3], [[1, 2]]).numpy()\n"
                "array([0, 1, 2, 3, 0, 0], dtype=int32)",
                "pad")
          .c_str());
}

void bind_parts(nb::module_& m) {
  m.def("concat", &concat_of, "values"_a, "axis"_a, "name"_a = "concat",
        described("Tensors one after another along an axis.\n\n"
                  ">>> tf.concat([[1, 2], [3]], axis=0).numpy()\n"
                  "array([1, 2, 3], dtype=int32)",
                  "concat")
            .c_str());
  m.def("stack", &join<stack>, "values"_a, "axis"_a = 0, "name"_a = "stack",
        described("Tensors of one shape beside one another along a new axis.", "stack").c_str());
  m.def("parallel_stack", &join<stack>, "values"_a, "axis"_a = 0, "name"_a = "parallel_stack",
        "Tensors of one shape beside one another along a new first axis.");
  m.def(
      "unstack",
      [](Like value, nb::handle num, nb::handle axis, nb::handle) {
        const Tensors parts = unstack(value.tensor(), to_int(axis, "axis"));
        require(num.is_none() || to_int(num, "num") == static_cast<int64_t>(parts.size()),
                "unstack: num does not agree with the dimension's size, {}.", parts.size());
        return wrap_all(parts);
      },
      "value"_a, "num"_a = nb::none(), "axis"_a = 0, "name"_a = "unstack",
      described("The slices of a tensor along an axis, in a list.", "unstack").c_str());
  m.def(
      "split",
      [](Like value, nb::handle num_or_size_splits, nb::handle axis, nb::handle, nb::handle) {
        return wrap_all(split(value.tensor(), to_splits(num_or_size_splits), to_int(axis, "axis")));
      },
      "value"_a, "num_or_size_splits"_a, "axis"_a = 0, "num"_a = nb::none(), "name"_a = "split",
      described(
          "The pieces of a tensor that is cut along an axis: so many equal ones, or ones of "
          "these sizes.\n\n>>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4], [1, 3])]\n"
          "[[1], [2, 3, 4]]",
          "split")
          .c_str());
  m.def(
      "slice",
      [](Like input_, nb::handle begin, nb::handle size, nb::handle) {
        return wrap(
            slice(input_.tensor(), to_short_ints(begin, "begin"), to_short_ints(size, "size")));
      },
      "input_"_a, "begin"_a, "size"_a, name_argument(),
      described("A block of a tensor: from `begin` on, `size` elements along each axis; -1 takes "
                "all.",
                "slice")
          .c_str());
  m.def(
      "strided_slice",
      [](Like input_, nb::handle begin, nb::handle end, nb::handle strides, uint32_t begin_mask,
         uint32_t end_mask, uint32_t ellipsis_mask, uint32_t new_axis_mask,
         uint32_t shrink_axis_mask, nb::handle, nb::handle) {
        StridedSliceOptions options;
        options.begin_mask = begin_mask;
        options.end_mask = end_mask;
        options.ellipsis_mask = ellipsis_mask;
        options.new_axis_mask = new_axis_mask;
        options.shrink_axis_mask = shrink_axis_mask;
        options.strides = to_short_ints(strides, "strides");
        return wrap(strided_slice(input_.tensor(), to_short_ints(begin, "begin"),
                                  to_short_ints(end, "end"), options));
      },
      "input_"_a, "begin"_a, "end"_a, "strides"_a = nb::none(), "begin_mask"_a = 0,
      "end_mask"_a = 0, "ellipsis_mask"_a = 0, "new_axis_mask"_a = 0, "shrink_axis_mask"_a = 0,
      "var"_a = nb::none(), name_argument(),
      described("What x[begin:end:strides] gives; masks as in TensorFlow.", "strided_slice")
          .c_str());
}

}  // namespace

void bind_ops_array(nb::module_& m) {
  bind_shapes(m);
  bind_orders(m);
  bind_parts(m);
  bind_ops_array_making(m);
  bind_ops_array_choosing(m);
  bind_ops_array_masks(m);
}

}  // namespace alula::python
