#include "python/src/ops.h"

// tf.*: tensors made of numbers, and of other dtypes.
namespace alula::python {
namespace {

int rank_of(DType dtype) {
  return dtype == float64 ? 4 : is_floating(dtype) ? 3 : dtype == int64 ? 2 : 1;
}

Tensor range_of(Like start, Like limit, Like delta, DTypeLike dtype) {
  // With one argument it is the limit.
  const bool one = limit.is_none();
  const Tensor from = one ? Tensor(0) : start.tensor();
  const Tensor to = one ? start.tensor() : limit.tensor();
  const Tensor by = delta.tensor();
  DType type = int32;
  for (const Tensor* part : {one ? &to : &from, &to, &by})
    if (rank_of(part->dtype()) > rank_of(type)) type = part->dtype();
  type = dtype.value_or(type);
  return range(to_number(from, "range: start"), to_number(to, "range: limit"),
               to_number(by, "range: delta"), type);
}

Tensor linspace_of(Like start, Like stop, nb::handle num, nb::handle axis) {
  const Pair ends(start, stop);
  const int64_t count = to_int(num, "num");
  const auto floating = [](const Tensor& x) {
    return is_floating(x.dtype()) ? x : cast(x, float64);
  };
  const Tensor from = floating(ends.a), to = floating(ends.b);
  if (from.rank() == 0 && to.rank() == 0 && !from.is_symbolic() && !to.is_symbolic())
    return linspace(to_number(from, "start").as_double(), to_number(to, "stop").as_double(), count,
                    from.dtype());
  const int64_t along = to_int(axis, "axis");
  const Shape shape = broadcast("linspace", from.shape(), to.shape());
  const int at = normalize_axis("linspace", along, shape.rank() + 1);
  Shape steps = Shape(std::vector<int64_t>(static_cast<size_t>(shape.rank()) + 1, 1));
  steps[at] = count;
  const Tensor weights = reshape(linspace(0, 1, count, from.dtype()), steps);
  return expand_dims(broadcast_to(from, shape), at) * (1 - weights) +
         expand_dims(broadcast_to(to, shape), at) * weights;
}

Tensor clipped_to(const Tensor& x, DType dtype) {
  // The limits of `dtype` as far as x's dtype holds them.
  const auto bits = [](DType d) { return static_cast<int>(size_of(d)) * 8; };
  const bool from_signed = kSignedIntegers.contains(x.dtype());
  const bool to_signed = kSignedIntegers.contains(dtype);
  const int from_value_bits = bits(x.dtype()) - (from_signed ? 1 : 0);
  const int to_value_bits = bits(dtype) - (to_signed ? 1 : 0);
  Tensor y = x;
  if (to_value_bits < from_value_bits)
    y = minimum(y, Tensor(Number((uint64_t{1} << to_value_bits) - 1), x.dtype()));
  if (from_signed && !to_signed) y = maximum(y, Tensor(Number(0), x.dtype()));
  if (from_signed && to_signed && to_value_bits < from_value_bits)
    y = maximum(y, Tensor(Number(-(int64_t{1} << to_value_bits)), x.dtype()));
  return cast(y, dtype);
}

/// As cast, but what does not fit becomes the nearest that does.
Tensor saturated(const Tensor& x, DType dtype) {
  if (!is_integer(x.dtype()) || !is_integer(dtype)) return cast(x, dtype);
  return clipped_to(x, dtype);
}

}  // namespace

void bind_ops_array_making(nb::module_& m) {
  m.def(
      "zeros",
      [](ShapeLike shape, DTypeLike dtype, nb::handle, nb::handle) {
        return wrap(zeros(shape.get(), dtype.value_or(float32)));
      },
      "shape"_a, "dtype"_a = wrap(float32), name_argument(), "layout"_a = nb::none(),
      described("A tensor of zeros.\n\n>>> tf.zeros([2, 2]).numpy()\n"
                "array([[0., 0.],\n       [0., 0.]], dtype=float32)",
                "fill")
          .c_str());
  m.def(
      "ones",
      [](ShapeLike shape, DTypeLike dtype, nb::handle, nb::handle) {
        return wrap(ones(shape.get(), dtype.value_or(float32)));
      },
      "shape"_a, "dtype"_a = wrap(float32), name_argument(), "layout"_a = nb::none(),
      described("A tensor of ones.", "fill").c_str());
  const auto like = [&](const char* name, Tensor (*f)(const Tensor&), const std::string& doc) {
    m.def(
        name,
        [f](Like input, DTypeLike dtype, nb::handle, nb::handle) {
          const Tensor x = input.tensor();
          const Tensor y = f(x);
          return wrap(dtype.is_none() ? y : cast(y, dtype.get()));
        },
        "input"_a, "dtype"_a = nb::none(), name_argument(), "layout"_a = nb::none(), doc.c_str());
  };
  like("zeros_like", zeros_like,
       described("Zeros of the shape and dtype of a tensor.", "zeros_like"));
  like("ones_like", ones_like, described("Ones of the shape and dtype of a tensor.", "ones_like"));
  m.def(
      "fill",
      [](ShapeLike dims, Like value, nb::handle, nb::handle) {
        const Tensor scalar = value.tensor();
        require(scalar.rank() == 0, "fill: the value must be a scalar. Got {}.", scalar.spec());
        return wrap(broadcast_to(scalar, dims.get()));
      },
      "dims"_a, "value"_a, name_argument(), "layout"_a = nb::none(),
      "A tensor whose elements are all `value`.\n\n>>> tf.fill([2], 7).numpy()\n"
      "array([7, 7], dtype=int32)");
  m.def(
      "eye",
      [](nb::handle num_rows, nb::handle num_columns, nb::handle batch_shape, DTypeLike dtype,
         nb::handle) {
        return wrap(eye(to_int(num_rows, "num_rows"),
                        {.num_columns = to_int(num_columns, "num_columns", -1),
                         .batch_shape = batch_shape.is_none() ? Shape() : to_shape(batch_shape),
                         .dtype = dtype.value_or(float32)}));
      },
      "num_rows"_a, "num_columns"_a = nb::none(), "batch_shape"_a = nb::none(),
      "dtype"_a = wrap(float32), name_argument(),
      "The identity matrix, or a batch of them.\n\n>>> tf.eye(2).numpy()\n"
      "array([[1., 0.],\n       [0., 1.]], dtype=float32)");
  m.def(
      "range",
      [](Like start, Like limit, Like delta, DTypeLike dtype, nb::handle) {
        return wrap(range_of(start, limit, delta, dtype));
      },
      "start"_a, "limit"_a = nb::none(), "delta"_a = 1, "dtype"_a = nb::none(), "name"_a = "range",
      described("The numbers from `start` by steps of `delta` up to, but without, `limit`.\n\n"
                ">>> tf.range(3, 18, 5).numpy()\narray([ 3,  8, 13], dtype=int32)",
                "range")
          .c_str());
  m.def(
      "linspace",
      [](Like start, Like stop, nb::handle num, nb::handle, nb::handle axis) {
        return wrap(linspace_of(start, stop, num, axis));
      },
      "start"_a, "stop"_a, "num"_a, name_argument(), "axis"_a = 0,
      described("`num` numbers from `start` to `stop`, both included, evenly spaced.\n\n"
                ">>> tf.linspace(0.0, 1.0, 5).numpy()\n"
                "array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)",
                "linspace")
          .c_str());
  m.def(
      "cast",
      [](Like x, DTypeLike dtype, nb::handle) {
        const Tensor tensor = x.tensor();
        const DType to = dtype.get();
        return computed(work_of(tensor), [&] { return cast(tensor, to); });
      },
      "x"_a, "dtype"_a, name_argument(),
      "The elements in another dtype. A fraction is cut off; what an integer type cannot hold "
      "becomes the nearest that it can.\n\n>>> tf.cast([1.7, -1.7], tf.int32).numpy()\n"
      "array([ 1, -1], dtype=int32)\n\nTakes numbers and bool.");
  m.def(
      "saturate_cast",
      [](Like value, DTypeLike dtype, nb::handle) {
        const Tensor x = value.tensor();
        const DType to = dtype.get();
        return computed(work_of(x), [&] { return saturated(x, to); });
      },
      "value"_a, "dtype"_a, name_argument(),
      "As cast, but integers that do not fit become the nearest that do.\n\n"
      ">>> tf.saturate_cast([-5, 300], tf.uint8).numpy()\narray([  0, 255], dtype=uint8)");
  def_of_one(m, "identity", "input", identity,
             described("The tensor itself, as the result of an op.", "identity"));
  def_of_one(m, "stop_gradient", "input", stop_gradient,
             described("The tensor itself, as a constant: no gradient flows through it.",
                       "stop_gradient"));
  m.def(
      "is_tensor",
      [](nb::handle x) { return held_tensor(x) != nullptr || held_variable(x) != nullptr; }, "x"_a,
      "Whether it is a tensor or a variable.");
}

}  // namespace alula::python
