#include "python/src/module.h"
#include "python/src/ops.h"

// tf.linalg.
namespace alula::python {
namespace {

linalg::NormOrder to_order(nb::handle ord) {
  if (PyUnicode_Check(ord.ptr())) return std::string_view(nb::cast<std::string>(ord));
  return nb::cast<double>(ord);
}

linalg::NormOptions norm_options(nb::handle ord, nb::handle axis, nb::handle keepdims) {
  return {.ord = to_order(ord),
          .axis = to_axes(axis),
          .keepdims = !keepdims.is_none() && PyObject_IsTrue(keepdims.ptr()) == 1};
}

Tensor tensordot_of(const Pair& pair, nb::handle axes) {
  if (PyLong_Check(axes.ptr())) return tensordot(pair.a, pair.b, nb::cast<int64_t>(axes));
  if (held_tensor(axes) != nullptr && held_tensor(axes)->rank() == 0)
    return tensordot(pair.a, pair.b, to_int(axes, "axes"));
  require(nb::len(axes) == 2, "tensordot: axes is a number, or a pair of axes. Got {} of them.",
          nb::len(axes));
  return tensordot(pair.a, pair.b, to_short_ints(axes[0], "axes"), to_short_ints(axes[1], "axes"));
}

void bind_norms(nb::module_& m) {
  m.def(
      "norm",
      [](Like tensor, nb::handle ord, nb::handle axis, nb::handle keepdims, nb::handle) {
        const Tensor x = tensor.tensor();
        const linalg::NormOptions options = norm_options(ord, axis, keepdims);
        return computed(work_of(x), [&] { return linalg::norm(x, options); });
      },
      "tensor"_a, "ord"_a = "euclidean", "axis"_a = nb::none(), "keepdims"_a = nb::none(),
      name_argument(),
      "The length of vectors, of matrices or of all elements. Floating types.\n\n"
      ">>> float(tf.norm([3.0, 4.0]))\n5.0");
  m.def(
      "normalize",
      [](Like tensor, nb::handle ord, nb::handle axis, nb::handle) {
        const Tensor x = tensor.tensor();
        linalg::NormOptions options = norm_options(ord, axis, nb::none());
        options.keepdims = true;
        const Tensor length = linalg::norm(x, options);
        return nb::make_tuple(wrap(x / length), wrap(length));
      },
      "tensor"_a, "ord"_a = "euclidean", "axis"_a = nb::none(), name_argument(),
      "A tensor divided by its norm, and the norm. Floating types.");
  m.def(
      "global_norm",
      [](TensorsLike t_list, nb::handle) { return wrap(linalg::global_norm(t_list.get())); },
      "t_list"_a, name_argument(),
      "The length of all tensors together. Floating types.\n\n"
      ">>> float(tf.linalg.global_norm([[3.0], [4.0]]))\n5.0");
}

void bind_diagonals(nb::module_& m) {
  m.def(
      "diag",
      [](Like diagonal, nb::handle, int64_t k) { return wrap(linalg::diag(diagonal.tensor(), k)); },
      "diagonal"_a, "name"_a = "diag", "k"_a = 0,
      "Matrices with these numbers on the diagonal.\n\n>>> tf.linalg.diag([1, 2]).numpy()\n"
      "array([[1, 0],\n       [0, 2]], dtype=int32)");
  m.def(
      "diag_part",
      [](Like input, nb::handle, int64_t k) { return wrap(linalg::diag_part(input.tensor(), k)); },
      "input"_a, "name"_a = "diag_part", "k"_a = 0,
      "The diagonal of matrices.\n\n>>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()\n"
      "array([1, 4], dtype=int32)");
  m.def(
      "set_diag",
      [](Like input, Like diagonal, nb::handle) {
        const Pair pair(input, diagonal);
        return wrap(linalg::set_diag(pair.a, pair.b));
      },
      "input"_a, "diagonal"_a, "name"_a = "set_diag", "Matrices with another diagonal.");
  m.def(
      "band_part",
      [](Like input, nb::handle num_lower, nb::handle num_upper, nb::handle) {
        return wrap(linalg::band_part(input.tensor(), to_int(num_lower, "num_lower"),
                                      to_int(num_upper, "num_upper")));
      },
      "input"_a, "num_lower"_a, "num_upper"_a, name_argument(),
      "Matrices with zeros but for some diagonals; a negative number is all of a side.\n\n"
      ">>> tf.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy()\n"
      "array([[1, 2],\n       [0, 4]], dtype=int32)");
  def_of_one(m, "trace", "x", linalg::trace, "The sum of the diagonal. Numbers.");
  def_of_one(m, "adjoint", "matrix", linalg::matrix_transpose,
             "The last two dimensions exchanged.");
  def_of_two(m, "cross", "a", "b", linalg::cross, "The cross product of vectors. Numbers.");
}

}  // namespace

void bind_ops_linalg(nb::module_& m) {
  nb::module_ linalg = m.def_submodule("linalg", "tf.linalg");
  bind_norms(linalg);
  bind_diagonals(linalg);
  bind_ops_linalg_matrices(linalg);
  linalg.def(
      "tensordot",
      [](Like a, Like b, nb::handle axes, nb::handle) {
        return wrap(tensordot_of(Pair(a, b), axes));
      },
      "a"_a, "b"_a, "axes"_a, name_argument(),
      "A sum of products over some axes of two tensors. Numbers.\n\n"
      ">>> int(tf.tensordot([1, 2, 3], [4, 5, 6], axes=1))\n32");
  linalg.def(
      "matmul",
      [](Like a, Like b, bool transpose_a, bool transpose_b, bool adjoint_a, bool adjoint_b, bool,
         bool, DTypeLike output_type, bool, bool, nb::handle) {
        const Pair pair(a, b);
        const MatMulOptions options{.transpose_a = transpose_a || adjoint_a,
                                    .transpose_b = transpose_b || adjoint_b};
        const TensorObject product =
            computed(pair.work(), [&] { return matmul(pair.a, pair.b, options); });
        return output_type.is_none() ? product
                                     : wrap(cast(*held_tensor(product), output_type.get()));
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "transpose_b"_a = false, "adjoint_a"_a = false,
      "adjoint_b"_a = false, "a_is_sparse"_a = false, "b_is_sparse"_a = false,
      "output_type"_a = nb::none(), "grad_a"_a = false, "grad_b"_a = false, name_argument(),
      described("The product of two matrices. Leading dimensions are batches, and broadcast.\n\n"
                ">>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()\n"
                "array([[11.]], dtype=float32)",
                "matmul")
          .c_str());
  linalg.def(
      "matvec",
      [](Like a, Like b, bool transpose_a, bool adjoint_a, bool, bool, nb::handle) {
        const Pair pair(a, b);
        const MatMulOptions options{.transpose_a = transpose_a || adjoint_a};
        return computed(pair.work(), [&] {
          return squeeze(matmul(pair.a, expand_dims(pair.b, -1), options), -1);
        });
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "adjoint_a"_a = false, "a_is_sparse"_a = false,
      "b_is_sparse"_a = false, name_argument(),
      described("A matrix times a vector.", "matmul").c_str());
  linalg.def(
      "matrix_transpose",
      [](Like a, nb::handle, bool) {
        const Tensor x = a.tensor();
        return computed(work_of(x), [&] { return linalg::matrix_transpose(x); });
      },
      "a"_a, "name"_a = "matrix_transpose", "conjugate"_a = false,
      described("The last two dimensions exchanged.", "transpose").c_str());
  linalg.def(
      "einsum",
      [](const std::string& equation, const nb::args& inputs, const nb::kwargs&) {
        const std::vector<Tensor> operands = to_tensors(inputs);
        int64_t work = 0;
        for (const Tensor& operand : operands) work += work_of(operand);
        return computed(work, [&] { return einsum(equation, operands); });
      },
      "equation"_a, "inputs"_a, "kwargs"_a,
      "A sum of products, written by naming the axes (Einstein's convention). Numbers.\n\n"
      ">>> tf.einsum(\"ij,jk->ik\", [[1, 2]], [[3], [4]]).numpy()\n"
      "array([[11]], dtype=int32)");
  linalg.def(
      "l2_normalize",
      [](Like x, nb::handle axis, double epsilon, nb::handle, nb::handle dim) {
        const Tensor tensor = x.tensor();
        const L2NormalizeOptions options{.axis = to_axes(dim.is_none() ? axis : dim),
                                         .epsilon = epsilon};
        return computed(work_of(tensor), [&] { return l2_normalize(tensor, options); });
      },
      "x"_a, "axis"_a = nb::none(), "epsilon"_a = 1e-12, name_argument(), "dim"_a = nb::none(),
      "Vectors of length 1 along some axes. Floating types.\n\n"
      ">>> tf.math.l2_normalize([3.0, 4.0]).numpy()\narray([0.6, 0.8], dtype=float32)");
}

}  // namespace alula::python
