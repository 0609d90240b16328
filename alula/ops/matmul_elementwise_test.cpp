#include "alula/ops/matmul_elementwise.h"

#include "alula/scalar/compose.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// max(product * scale + bias + residual + column, 0), and the product itself.
const scalar::Program& program(DType dtype) {
  scalar::Builder b;
  const auto as = [&](Scalar x, DType to) {
    return x.dtype() == to ? x : b.emit(scalar::Opcode::kCast, to, {x});
  };
  const DType wide = is_half(dtype) ? float32 : dtype;
  const Scalar product = b.input(dtype), c = as(product, wide), scale = as(b.input(dtype), wide),
               bias = as(b.input(dtype), wide), residual = as(b.input(dtype), wide),
               column = as(b.input(dtype), wide);
  const Scalar result = as(max(c * scale + bias + residual + column, 0.0), dtype);
  return scalar::interned(b.finish("matmul_elementwise", std::vector{result, product}));
}

void check_part(DType dtype, const Shape& a, const Shape& b, const MatMulOptions& options,
                int part) {
  const MatMulElementwise op(MatMul(options), program(dtype));
  const Tensor x = random_tensor({dtype, a}), y = random_tensor({dtype, b});
  const Shape c = matmul(x, y, options).shape();
  const auto inner = static_cast<double>(a[a.rank() - (options.transpose_a ? 2 : 1)]);
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return call_all(op, in)[static_cast<size_t>(part)]; },
      {x, y, random_tensor({dtype, {1, 1}}), random_tensor({dtype, {c.back()}}),
       random_tensor({dtype, c}), random_tensor({dtype, c.slice(0, c.rank() - 1) + Shape{1}})},
      [&](const std::vector<Array>& in) {
        Array product(c);
        const int64_t m = c[c.rank() - 2], n = c.back(), k = static_cast<int64_t>(inner);
        for (int64_t i = 0; i < c.size() / n; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l)
              sum += in[0].values[options.transpose_a ? (i / m * k + l) * m + i % m : i * k + l] *
                     in[1].values[(b.rank() > 2 ? i / m * k * n : 0) +
                                  (options.transpose_b ? j * k + l : l * n + j)];
            const double value =
                sum * in[2].values[0] + in[3].values[j] + in[4].values[i * n + j] + in[5].values[i];
            product.values[i * n + j] = part == 0 ? std::max(value, 0.0) : sum;
          }
        return product;
      },
      {.scale = inner + 1, .gradient = false});
}

void check_both(DType dtype, const Shape& a, const Shape& b, const MatMulOptions& options = {}) {
  for (int part : {0, 1}) check_part(dtype, a, b, options, part);
}

}  // namespace

OP_TEST(matmul_elementwise) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    check_both(dtype, {5, 7}, {7, 3});
    check_both(dtype, {3, 4}, {4, 1});         // a column
    check_both(dtype, {50, 300}, {300, 200});  // packed
    check_both(dtype, {2, 1500}, {1500, 40});  // several blocks deep
    check_both(dtype, {3, 5, 7}, {7, 4});      // rows of a batch
    check_both(dtype, {3, 5, 7}, {3, 7, 4});   // a batch of products
    check_both(dtype, {7, 5}, {3, 7}, {.transpose_a = true, .transpose_b = true});
    check_both(dtype, {4, 0}, {0, 3});
    check_both(dtype, {0, 4}, {4, 3});
  }
  check_both(float32, {200, 64}, {64, 4100});  // wider than what is packed at a time
  check_both(float32, {8, 600}, {600, 900});   // shared out by columns
}

TEST(MatMulElementwise, SaysWhatItTakes) {
  const MatMulElementwise op(MatMul(), program(float32));
  const Tensor x = random_tensor({float32, {2, 3}}), y = random_tensor({float32, {3, 4}}),
               one = random_tensor({float32, {}});
  EXPECT_ERROR(call_all(op, std::vector{x, y}), InvalidArgumentError, "takes 6 inputs");
  EXPECT_ERROR(call_all(op, std::vector{x, y, one, random_tensor({float32, {3, 1}}), one, one}),
               InvalidArgumentError, "one row or column of it");
  const MatMulElementwise wider(MatMul(), program(float64));
  EXPECT_ERROR(call_all(wider, std::vector{x, y, one, one, one, one}), InvalidArgumentError,
               "dtype");
}
