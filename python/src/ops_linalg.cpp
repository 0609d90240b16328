#include "python/src/module.h"
#include "python/src/ops.h"

// tf.linalg.
namespace alula::python {

void bind_ops_linalg(nb::module_& m) {
  nb::module_ linalg = m.def_submodule("linalg", "tf.linalg");
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
        require(x.rank() >= 2, "matrix_transpose: needs at least 2 dimensions. Got {}.", x.spec());
        std::vector<int64_t> order(static_cast<size_t>(x.rank()));
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
        std::swap(order[order.size() - 1], order[order.size() - 2]);
        return computed(work_of(x), [&] { return transpose(x, Axes(order)); });
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
