#include "python/src/ops.h"

// tf.linalg: decompositions of matrices, and what stands on them.
namespace alula::python {
namespace {

/// About how long a decomposition takes, in elements: size times side.
int64_t cubic_work(const Tensor& x) {
  return x.is_symbolic() || x.rank() == 0 ? 0 : x.size() * x.shape().back();
}

/// Makes a function of matrices.
void def_of_matrices(nb::module_& m, const char* name, const char* argument,
                     Tensor (*f)(const Tensor&), const char* doc) {
  m.def(
      name,
      [f](Like x, nb::handle) {
        const Tensor tensor = x.tensor();
        return computed(cubic_work(tensor), [&] { return f(tensor); });
      },
      nb::arg(argument), name_argument(), doc);
}

/// A number, or a tensor that holds one.
double to_double(nb::handle value) { return nb::cast<double>(nb::float_(value)); }
linalg::Cutoff to_cutoff(nb::handle value) {
  return value.is_none() ? linalg::Cutoff() : linalg::Cutoff(to_double(value));
}

void bind_solving(nb::module_& m) {
  m.def(
      "solve",
      [](Like matrix, Like rhs, bool adjoint, nb::handle) {
        const Pair pair(matrix, rhs);
        return computed(cubic_work(pair.a),
                        [&] { return linalg::solve(pair.a, pair.b, {.adjoint = adjoint}); });
      },
      "matrix"_a, "rhs"_a, "adjoint"_a = false, name_argument(),
      described(
          "x with matrix @ x = rhs; with adjoint, the matrix is transposed. A singular matrix "
          "is an error.\n\n"
          ">>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()\n"
          "array([[1. ],\n       [0.5]], dtype=float32)",
          "solve")
          .c_str());
  m.def(
      "triangular_solve",
      [](Like matrix, Like rhs, bool lower, bool adjoint, nb::handle) {
        const Pair pair(matrix, rhs);
        return computed(cubic_work(pair.a), [&] {
          return linalg::triangular_solve(pair.a, pair.b, {.lower = lower, .adjoint = adjoint});
        });
      },
      "matrix"_a, "rhs"_a, "lower"_a = true, "adjoint"_a = false, name_argument(),
      described("x with matrix @ x = rhs, for a triangular matrix; its other triangle is not "
                "read.\n\n"
                ">>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 4.0]], [[2.0], [9.0]]).numpy()\n"
                "array([[1.],\n       [2.]], dtype=float32)",
                "triangular_solve")
          .c_str());
  m.def(
      "inv",
      [](Like input, bool adjoint, nb::handle) {
        const Tensor x = input.tensor();
        return computed(cubic_work(x), [&] { return linalg::inv(x, {.adjoint = adjoint}); });
      },
      "input"_a, "adjoint"_a = false, name_argument(),
      described("The inverses of square matrices, transposed with adjoint. A singular matrix is an "
                "error.\n\n"
                ">>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()\n"
                "array([[0.5 , 0.  ],\n       [0.  , 0.25]], dtype=float32)",
                "inv")
          .c_str());
  m.def(
      "lstsq",
      [](Like matrix, Like rhs, nb::handle l2_regularizer, bool fast, nb::handle) {
        const Pair pair(matrix, rhs);
        const linalg::LstsqOptions options{.l2_regularizer = to_double(l2_regularizer),
                                           .fast = fast};
        return computed(cubic_work(pair.a), [&] { return linalg::lstsq(pair.a, pair.b, options); });
      },
      "matrix"_a, "rhs"_a, "l2_regularizer"_a = 0.0, "fast"_a = true, name_argument(),
      "x for which matrix @ x comes nearest to rhs by the sum of squares. Unless fast, by singular "
      "values: right for matrices of any rank, and without the regularizer.\n\n"
      ">>> tf.linalg.lstsq([[2.0], [0.0]], [[6.0], [1.0]]).numpy()\n"
      "array([[3.]], dtype=float32)");
}

void bind_cholesky(nb::module_& m) {
  def_of_matrices(m, "cholesky", "input", linalg::cholesky,
                  "The lower triangular L with L @ L.T = input, of symmetric positive definite "
                  "matrices; others are an error.\n\n"
                  ">>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()\n"
                  "array([[2., 0.],\n       [1., 2.]], dtype=float32)");
  m.def(
      "cholesky_solve",
      [](Like chol, Like rhs, nb::handle) {
        const Pair pair(chol, rhs);
        return computed(cubic_work(pair.a), [&] { return linalg::cholesky_solve(pair.a, pair.b); });
      },
      "chol"_a, "rhs"_a, name_argument(),
      "x with A @ x = rhs, given chol = cholesky(A).\n\n"
      ">>> tf.linalg.cholesky_solve([[2.0, 0.0], [1.0, 2.0]], [[2.0], [9.0]]).numpy()\n"
      "array([[-0.5],\n       [ 2. ]], dtype=float32)");
  def_of_matrices(m, "logdet", "matrix", linalg::logdet,
                  "The logarithm of the determinant of symmetric positive definite matrices.\n\n"
                  ">>> float(tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]))\n0.0");
  def_of_matrices(m, "det", "input", linalg::det,
                  "The determinants of square matrices.\n\n"
                  ">>> float(tf.linalg.det([[1.0, 0.0], [0.0, 4.0]]))\n4.0");
  m.def(
      "_slogdet",
      [](Like input) {
        const Tensor x = input.tensor();
        const linalg::SlogdetResult result =
            without_lock(cubic_work(x), [&] { return linalg::slogdet(x); });
        return nb::make_tuple(wrap(result.sign), wrap(result.log_abs_determinant));
      },
      "input"_a);
}

void bind_lu(nb::module_& m) {
  m.def(
      "_lu",
      [](Like input, DTypeLike output_idx_type) {
        const Tensor x = input.tensor();
        const linalg::LuResult result = without_lock(cubic_work(x), [&] { return linalg::lu(x); });
        const DType dtype = output_idx_type.get();
        return nb::make_tuple(wrap(result.lu),
                              wrap(dtype == int32 ? result.p : cast(result.p, dtype)));
      },
      "input"_a, "output_idx_type"_a);
  m.def(
      "lu_solve",
      [](Like lower_upper, Like perm, Like rhs, nb::handle, nb::handle) {
        const Pair pair(lower_upper, rhs);
        const Tensor order = perm.tensor();
        return computed(cubic_work(pair.a),
                        [&] { return linalg::lu_solve(pair.a, order, pair.b); });
      },
      "lower_upper"_a, "perm"_a, "rhs"_a, "validate_args"_a = false, name_argument(),
      "x with A @ x = rhs, given lu(A).\n\n"
      ">>> lu, p = tf.linalg.lu([[0.0, 1.0], [2.0, 0.0]])\n"
      ">>> tf.linalg.lu_solve(lu, p, [[3.0], [4.0]]).numpy()\n"
      "array([[2.],\n       [3.]], dtype=float32)");
  const auto of_two = [&](const char* name, Tensor (*f)(const Tensor&, const Tensor&),
                          const char* doc) {
    m.def(
        name,
        [f](Like lower_upper, Like perm, nb::handle, nb::handle) {
          const Tensor lu = lower_upper.tensor(), order = perm.tensor();
          return computed(cubic_work(lu), [&] { return f(lu, order); });
        },
        "lower_upper"_a, "perm"_a, "validate_args"_a = false, name_argument(), doc);
  };
  of_two("lu_reconstruct", linalg::lu_reconstruct,
         "A, given lu(A).\n\n"
         ">>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[0.0, 1.0], [2.0, 0.0]])).numpy()\n"
         "array([[0., 1.],\n       [2., 0.]], dtype=float32)");
  of_two("lu_matrix_inverse", linalg::lu_matrix_inverse,
         "The inverse of A, given lu(A).\n\n"
         ">>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 1.0], [2.0, 0.0]])).numpy()\n"
         "array([[0. , 0.5],\n       [1. , 0. ]], dtype=float32)");
}

void bind_orthogonal(nb::module_& m) {
  m.def(
      "_qr",
      [](Like input, bool full_matrices) {
        const Tensor x = input.tensor();
        const linalg::QrResult result = without_lock(
            cubic_work(x), [&] { return linalg::qr(x, {.full_matrices = full_matrices}); });
        return nb::make_tuple(wrap(result.q), wrap(result.r));
      },
      "input"_a, "full_matrices"_a);
  m.def(
      "eigh",
      [](Like tensor, nb::handle) {
        const Tensor x = tensor.tensor();
        const linalg::EighResult result =
            without_lock(cubic_work(x), [&] { return linalg::eigh(x); });
        return nb::make_tuple(wrap(result.e), wrap(result.v));
      },
      "tensor"_a, name_argument(),
      described("The eigenvalues of symmetric matrices in rising order, and their eigenvectors as "
                "columns.\n\n"
                ">>> e, v = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])\n>>> e.numpy()\n"
                "array([1., 2.], dtype=float32)",
                "eigh")
          .c_str());
  def_of_matrices(m, "eigvalsh", "tensor", linalg::eigvalsh,
                  "The eigenvalues of symmetric matrices, in rising order.\n\n"
                  ">>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()\n"
                  "array([1., 2.], dtype=float32)");
  m.def(
      "svd",
      [](Like tensor, bool full_matrices, bool compute_uv, nb::handle) -> nb::object {
        const Tensor x = tensor.tensor();
        if (!compute_uv)
          return nb::object(computed(cubic_work(x), [&] { return linalg::singular_values(x); }));
        const linalg::SvdResult result = without_lock(
            cubic_work(x), [&] { return linalg::svd(x, {.full_matrices = full_matrices}); });
        return nb::make_tuple(wrap(result.s), wrap(result.u), wrap(result.v));
      },
      "tensor"_a, "full_matrices"_a = false, "compute_uv"_a = true, name_argument(),
      described("s, u and v with tensor = u @ diag(s) @ v.T: singular values, largest first, and "
                "orthogonal columns. Without compute_uv, s alone.\n\n"
                ">>> tf.linalg.svd([[0.0, 2.0], [1.0, 0.0]], compute_uv=False).numpy()\n"
                "array([2., 1.], dtype=float32)",
                "svd")
          .c_str());
  m.def(
      "pinv",
      [](Like a, nb::handle rcond, nb::handle, nb::handle) {
        const Tensor x = a.tensor();
        const linalg::Cutoff cutoff = to_cutoff(rcond);
        return computed(cubic_work(x), [&] { return linalg::pinv(x, cutoff); });
      },
      "a"_a, "rcond"_a = nb::none(), "validate_args"_a = false, name_argument(),
      "The pseudo-inverses of matrices. Singular values up to rcond times the largest count as "
      "0.\n\n"
      ">>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy()\n"
      "array([[0.5, 0. ],\n       [0. , 0. ]], dtype=float32)");
  m.def(
      "matrix_rank",
      [](Like a, nb::handle tol, nb::handle, nb::handle) {
        const Tensor x = a.tensor();
        const linalg::Cutoff cutoff = to_cutoff(tol);
        return computed(cubic_work(x), [&] { return linalg::matrix_rank(x, cutoff); });
      },
      "a"_a, "tol"_a = nb::none(), "validate_args"_a = false, name_argument(),
      "How many singular values are above tol.\n\n"
      ">>> int(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))\n1");
  def_of_matrices(m, "expm", "input", linalg::expm,
                  "The exponentials of square matrices.\n\n"
                  ">>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()\n"
                  "array([[1., 1.],\n       [0., 1.]], dtype=float32)");
}

}  // namespace

void bind_ops_linalg_matrices(nb::module_& linalg) {
  bind_solving(linalg);
  bind_cholesky(linalg);
  bind_lu(linalg);
  bind_orthogonal(linalg);
}

}  // namespace alula::python
