#include "python/src/module.h"
#include "python/src/ops.h"

// tf.math, elementwise.
namespace alula::python {
namespace {

const NamedElementwise kUnary[] = {
    {"abs", &alula::abs,
     "The size of each element.\n\n>>> tf.abs([-1.5, 2.0]).numpy()\n"
     "array([1.5, 2. ], dtype=float32)"},
    {"acos", &alula::acos, "The angle whose cosine each element is."},
    {"acosh", &alula::acosh, "The inverse of cosh."},
    {"asin", &alula::asin, "The angle whose sine each element is."},
    {"asinh", &alula::asinh, "The inverse of sinh."},
    {"atan", &alula::atan,
     "The angle whose tangent each element is.\n\n"
     ">>> tf.atan([1.0]).numpy()\narray([0.7853982], dtype=float32)"},
    {"atanh", &alula::atanh, "The inverse of tanh."},
    {"ceil", &alula::ceil, "The least integer that is not below each element."},
    {"cos", &alula::cos, "The cosine of each element."},
    {"cosh", &alula::cosh, "The hyperbolic cosine of each element."},
    {"digamma", &digamma,
     "The derivative of lgamma.\n\n>>> tf.math.digamma([1.0]).numpy()\n"
     "array([-0.5772157], dtype=float32)"},
    {"erf", &alula::erf, "The Gauss error function of each element."},
    {"erfc", &alula::erfc, "1 - erf(x), accurate where it is small."},
    {"erfcinv", &erfcinv, "The inverse of erfc."},
    {"erfinv", &erfinv, "The inverse of erf."},
    {"exp", &alula::exp,
     "e to the power of each element.\n\n>>> tf.exp([0.0, 1.0]).numpy()\n"
     "array([1.       , 2.7182817], dtype=float32)"},
    {"expm1", &alula::expm1, "exp(x) - 1, accurate for small x."},
    {"floor", &alula::floor, "The largest integer that is not above each element."},
    {"is_finite", &alula::isfinite, "Whether each element is neither infinite nor NaN."},
    {"is_inf", &alula::isinf, "Whether each element is infinite."},
    {"is_nan", &alula::isnan, "Whether each element is NaN."},
    {"lgamma", &alula::lgamma,
     "The logarithm of the size of the gamma function.\n\n>>> tf.math.lgamma([1.0, 2.0]).numpy()\n"
     "array([0., 0.], dtype=float32)"},
    {"log", &alula::log, "The natural logarithm of each element."},
    {"log1p", &alula::log1p, "log(1 + x), accurate for small x."},
    {"log_sigmoid", &log_sigmoid, "The logarithm of the sigmoid of each element."},
    {"logical_not", &logical_not, "The opposite of each element."},
    {"ndtri", &ndtri,
     "Where the normal distribution reaches a probability: the inverse of its cumulative "
     "distribution function.\n\n>>> round(float(tf.math.ndtri(0.975)), 4)\n"
     "1.96"},
    {"negative", &neg, "-x for each element."},
    {"reciprocal", &reciprocal, "1 / x for each element."},
    {"rint", &alula::round, "The nearest integer; halves go to the even one."},
    {"round", &alula::round,
     "The nearest integer; halves go to the even one.\n\n"
     ">>> tf.round([0.5, 1.5, 2.6]).numpy()\n"
     "array([0., 2., 3.], dtype=float32)"},
    {"rsqrt", &rsqrt, "1 / sqrt(x) for each element."},
    {"sigmoid", &sigmoid,
     "1 / (1 + exp(-x)) for each element.\n\n"
     ">>> tf.sigmoid([0.0]).numpy()\narray([0.5], dtype=float32)"},
    {"sign", &sign, "-1, 0 or 1: the sign of each element."},
    {"sin", &alula::sin, "The sine of each element."},
    {"sinh", &alula::sinh, "The hyperbolic sine of each element."},
    {"softplus", &softplus, "log(1 + exp(x)) for each element.", "features"},
    {"softsign", &softsign, "x / (1 + abs(x)) for each element.", "features"},
    {"sqrt", &alula::sqrt, "The square root of each element."},
    {"square", &square, "x * x for each element."},
    {"tan", &alula::tan, "The tangent of each element."},
    {"tanh", &alula::tanh, "The hyperbolic tangent of each element."},
};

const NamedElementwise kBinary[] = {
    {"add", &add,
     "x + y, elementwise with broadcasting.\n\n>>> tf.add([1, 2], 3).numpy()\n"
     "array([4, 5], dtype=int32)"},
    {"atan2", &alula::atan2, "The angle of the point (x, y), between -pi and pi.", "y", "x"},
    {"divide_no_nan", &divide_no_nan, "x / y; 0 where y is 0."},
    {"equal", &equal, "Whether x == y; strings, too."},
    {"floordiv", &floordiv,
     "The quotient rounded down.\n\n>>> tf.math.floordiv([7, -7], 2)"
     ".numpy()\narray([ 3, -4], dtype=int32)"},
    {"floormod", &mod, "The remainder of floordiv, with the sign of y."},
    {"greater", &greater, "Whether x > y."},
    {"greater_equal", &greater_equal, "Whether x >= y."},
    {"less", &less, "Whether x < y."},
    {"less_equal", &less_equal, "Whether x <= y."},
    {"logical_and", &logical_and, "Whether both are true."},
    {"logical_or", &logical_or, "Whether one is true."},
    {"logical_xor", &logical_xor, "Whether exactly one is true."},
    {"maximum", &maximum,
     "The larger one; NaN if one is.\n\n>>> tf.maximum([1, 5], [3, 2])"
     ".numpy()\narray([3, 5], dtype=int32)"},
    {"minimum", &minimum, "The smaller one; NaN if one is."},
    {"mod", &mod, "The remainder of floordiv, with the sign of y."},
    {"multiply", &mul, "x * y, elementwise with broadcasting."},
    {"multiply_no_nan", &multiply_no_nan, "x * y; 0 where y is 0, whatever x is."},
    {"not_equal", &not_equal, "Whether x != y; strings, too."},
    {"polygamma", &polygamma,
     "The a-th derivative of digamma at x, for x above 0.\n\n"
     ">>> tf.math.polygamma(1.0, [1.0]).numpy()\narray([1.644934], dtype=float32)",
     "a", "x"},
    {"pow", &alula::pow,
     "x to the power of y.\n\n>>> tf.pow([2.0, 3.0], 2.0).numpy()\n"
     "array([4., 9.], dtype=float32)"},
    {"realdiv", &div, "x / y of floating types."},
    {"squared_difference", &squared_difference, "(x - y) * (x - y)."},
    {"subtract", &sub, "x - y, elementwise with broadcasting."},
    {"xdivy", &xdivy, "x / y; 0 where x is 0."},
    {"xlog1py", &xlog1py, "x * log1p(y); 0 where x is 0."},
    {"xlogy", &xlogy, "x * log(y); 0 where x is 0."},
    {"zeta", &zeta,
     "The sum of (q + k) ** -x over k = 0, 1, ...: Hurwitz's zeta function.\n\n"
     ">>> tf.math.zeta([2.0], 1.0).numpy()\narray([1.644934], dtype=float32)",
     "x", "q"},
};

constexpr const char* kDivide =
    "x / y as Python divides: integers become floating point numbers.\n\n"
    ">>> tf.divide([1, 3], 2).numpy()\narray([0.5, 1.5])";

Tensor divided(const Tensor& x, const Tensor& y) { return divide(x, y); }

Tensor add_all(const std::vector<Tensor>& inputs) {
  require(!inputs.empty(), "add_n: needs at least one tensor.");
  Tensor sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    require(inputs[i].shape() == sum.shape(), "add_n: the shapes must agree. Got {} and {}.",
            sum.spec(), inputs[i].spec());
    sum = add(sum, inputs[i]);
  }
  return sum;
}

}  // namespace

void bind_ops_math(nb::module_& m) {
  nb::module_ math = m.def_submodule("math", "tf.math");
  for (const NamedElementwise& function : kUnary) def_unary(math, function);
  for (const NamedElementwise& function : kBinary) def_binary(math, function);
  def_of_one(math, "lbeta", "x", lbeta,
             "The logarithm of the beta function of the numbers along the last axis.\n\n"
             ">>> float(tf.math.lbeta([1.0, 1.0]))\n0.0");
  def_of_two(math, "divide", "x", "y", divided, kDivide);
  def_of_two(math, "truediv", "x", "y", divided, kDivide);
  math.def(
      "add_n",
      [](TensorsLike inputs, nb::handle) {
        const std::vector<Tensor> all = inputs.get();
        return computed(all.empty() ? 0 : work_of(all[0]), [&] { return add_all(all); });
      },
      "inputs"_a, name_argument(),
      "The sum of tensors of one shape.\n\n>>> tf.add_n([[1, 2], [3, 4]]).numpy()\n"
      "array([4, 6], dtype=int32)");
  math.def(
      "scalar_mul",
      [](Like scalar, Like x, nb::handle) {
        const Tensor tensor = x.tensor();
        const Tensor factor = scalar.tensor(tensor.dtype());
        require(factor.rank() == 0, "scalar_mul: the first argument must be a scalar. Got {}.",
                factor.spec());
        return computed(work_of(tensor), [&] { return mul(factor, tensor); });
      },
      "scalar"_a, "x"_a, name_argument(), described("A tensor times a scalar.", mul).c_str());
  bind_ops_math_reductions(math);
  bind_ops_math_groups(math);
  bind_ops_bitwise(m);
}

}  // namespace alula::python
