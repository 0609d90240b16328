#include "alula/ops/matmul.h"

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

Array swap_last_two(const Array& x) {
  Shape shape = x.shape;
  std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  Array result(shape);
  for_each_index(shape, [&](Shape index) {
    Shape source = index;
    std::swap(source[source.rank() - 1], source[source.rank() - 2]);
    result[index] = x[source];
  });
  return result;
}

Array reference(Array a, Array b, const MatMulOptions& options) {
  if (options.transpose_a) a = swap_last_two(a);
  if (options.transpose_b) b = swap_last_two(b);
  const int ra = a.shape.rank(), rb = b.shape.rank();
  const int64_t m = a.shape[ra - 2], k = a.shape[ra - 1], n = b.shape[rb - 1];
  const Shape batch = broadcast("reference", a.shape.slice(0, ra - 2), b.shape.slice(0, rb - 2));
  a = broadcast_to(a, batch + Shape{m, k});
  b = broadcast_to(b, batch + Shape{k, n});
  Array c(batch + Shape{m, n});
  for (int64_t p = 0; p < batch.size(); ++p)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l)
        for (int64_t j = 0; j < n; ++j)
          c.values[(p * m + i) * n + j] +=
              a.values[(p * m + i) * k + l] * b.values[(p * k + l) * n + j];
  return c;
}

void check_product(DType dtype, Shape a, Shape b, const MatMulOptions& options = {}) {
  const int64_t k = a[a.rank() - (options.transpose_a ? 2 : 1)];
  OpTest::check([&](const std::vector<Tensor>& in) { return matmul(in[0], in[1], options); },
                {random_tensor({dtype, a}), random_tensor({dtype, b})},
                [&](const std::vector<Array>& in) { return reference(in[0], in[1], options); },
                {.scale = static_cast<double>(k)});
}

/// The four ways to store the operands of an [m, k] by [k, n] product.
void check_all_transpositions(DType dtype, int64_t m, int64_t n, int64_t k) {
  for (bool transpose_a : {false, true})
    for (bool transpose_b : {false, true})
      check_product(dtype, transpose_a ? Shape{k, m} : Shape{m, k},
                    transpose_b ? Shape{n, k} : Shape{k, n}, {transpose_a, transpose_b});
}

}  // namespace

OP_TEST(matmul) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumeric.contains(dtype)) continue;
    check_all_transpositions(dtype, 2, 2, 2);
    check_all_transpositions(dtype, 10, 10, 10);
    check_all_transpositions(dtype, 7, 33, 17);
    check_product(dtype, {3, 5, 4}, {3, 4, 6});
    check_product(dtype, {0, 4}, {4, 3});
    check_product(dtype, {4, 0}, {0, 3});
  }
  // Every number of rows and of lanes that a micro-kernel can be left with.
  for (int64_t m = 1; m <= 25; ++m) check_product(float32, {m, 9}, {9, 5});
  for (int64_t n = 1; n <= 70; ++n) check_product(float32, {5, 9}, {9, n});
  for (int64_t n = 1; n <= 20; ++n) check_product(float64, {5, 9}, {9, n});
  // Few columns, which are read as one long row: all edges of rows, steps and lanes.
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 20, 24, 31}) {
    for (int64_t k : {64, 128, 129, 143, 144, 150}) check_product(float32, {5, k}, {k, n});
    for (int64_t m : {256, 257, 271, 300})
      check_product(float32, {3, m}, {3, n}, {.transpose_a = true});
    check_product(float64, {6, 131}, {131, n});
    check_product(float64, {70, 259}, {70, n}, {.transpose_a = true});
  }
  check_product(float32, {150, 3000}, {3000, 10});
  check_product(float32, {100, 3000}, {100, 10}, {.transpose_a = true});
  // Packed, with every edge, and shared by threads.
  for (DType dtype : {float32, float64}) {
    check_all_transpositions(dtype, 61, 203, 130);
    check_all_transpositions(dtype, 200, 150, 300);
    check_all_transpositions(dtype, 1, 700, 300);
    check_all_transpositions(dtype, 700, 1, 300);
  }
  check_product(float32, {26, 520}, {520, 4133});
  // Few elements of many terms, which threads of a GPU share.
  for (DType dtype : {float16, float32, int32}) {
    check_all_transpositions(dtype, 3, 5, 1500);
    check_product(dtype, {2, 9000}, {9000, 1});
  }
  // Deeper than one block of any machine: the parts are added up.
  check_product(float32, {61, 2100}, {2100, 70});
  check_product(float64, {61, 2100}, {70, 2100}, {.transpose_b = true});
  // Batches: broadcast on either side, one b for all, more than there are threads.
  check_product(float32, {2, 1, 5, 4}, {3, 4, 6});
  check_product(float32, {5, 4}, {2, 3, 4, 6});
  check_product(float32, {2, 3, 5, 4}, {4, 6});
  check_product(float32, {2, 3, 4, 5}, {4, 6}, {.transpose_a = true});
  check_product(float32, {0, 5, 4}, {4, 6});
  check_product(float32, {40, 30, 20}, {40, 20, 25});
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  const Tensor a = random_tensor({float32, {3, 4}}), b = random_tensor({float32, {5, 6}});
  EXPECT_ERROR(matmul(a, b), InvalidArgumentError,
               "matmul: the inner sizes differ, 4 and 5. Got a float32[3,4], b float32[5,6].");
  EXPECT_ERROR(matmul(a, random_tensor({float64, {4, 3}})), InvalidArgumentError, "dtypes differ");
  EXPECT_ERROR(matmul(a, random_tensor({float32, {4}})), InvalidArgumentError,
               "at least 2 dimensions");
  EXPECT_ERROR(matmul(Tensor({{true}}), Tensor({{true}})), InvalidArgumentError, "takes float16");
  EXPECT_ERROR(matmul(random_tensor({float32, {2, 3, 4}}), random_tensor({float32, {3, 4, 3}})),
               InvalidArgumentError, "do not broadcast");
  EXPECT_ERROR(matmul(a, Tensor()), InvalidArgumentError, "not defined");
}

TEST(MatMul, InfersUnknownSizes) {
  const Spec a{float32, {kUnknown, 4}}, b{float32, {4, 7}};
  const Spec* inputs[] = {&a, &b};
  EXPECT_EQ(MatMul().infer(SpecRefs(inputs))[0], (Spec{float32, {kUnknown, 7}}));
}

TEST(MatMul, CostsTwoOperationsAStep) {
  const Spec a{float32, {3, 4}}, b{float32, {4, 5}};
  const Spec* inputs[] = {&a, &b};
  const Specs outputs = MatMul().infer(SpecRefs(inputs));
  EXPECT_EQ(MatMul().cost(SpecRefs(inputs), outputs).flops, 2 * 3 * 4 * 5);
}

TEST(MatMul, HasSecondGradients) {
  for (bool transpose_a : {false, true})
    for (bool transpose_b : {false, true})
      compare_second_gradient(
          [&](const std::vector<Tensor>& in) {
            return matmul(in[0], in[1], {.transpose_a = transpose_a, .transpose_b = transpose_b});
          },
          {random_tensor({float64, transpose_a ? Shape{4, 3} : Shape{3, 4}}),
           random_tensor({float64, transpose_b ? Shape{2, 5, 4} : Shape{2, 4, 5}})});
}

TEST(MatMul, ComputesOnlyTheGradientsAskedFor) {
  const auto f = [](const std::vector<Tensor>& in) { return matmul(in[0], in[1]); };
  const std::vector<Tensor> inputs = {random_tensor({float32, {3, 4}}),
                                      random_tensor({float32, {4, 5}})};
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(ops_of_gradient(f, inputs, {0}), (Counts{{"matmul", 1}}));
  EXPECT_EQ(ops_of_gradient(f, inputs, {1}), (Counts{{"matmul", 1}}));
  EXPECT_EQ(ops_of_gradient(f, inputs, {0, 1}), (Counts{{"matmul", 2}}));
}
