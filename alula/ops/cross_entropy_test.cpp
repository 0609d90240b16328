#include "alula/ops/cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// -sum over the classes of weight(row, class) * log(softmax).
Array plain(const Array& logits, const std::function<double(int64_t, int64_t)>& weight) {
  Array result(logits.shape.slice(0, logits.shape.rank() - 1));
  const int64_t classes = logits.shape.back();
  for (int64_t row = 0; row < result.size(); ++row) {
    const double* x = logits.values.data() + row * classes;
    const double largest = *std::max_element(x, x + classes);
    double sum = 0;
    for (int64_t j = 0; j < classes; ++j) sum += std::exp(x[j] - largest);
    for (int64_t j = 0; j < classes; ++j)
      if (weight(row, j) != 0)
        result.values[row] += weight(row, j) * (std::log(sum) - (x[j] - largest));
  }
  return result;
}

const std::vector<Shape> kShapes = {{1},       {10},       {1, 1},     {5, 2},      {7, 10},
                                    {3, 17},   {33, 7},    {2, 3, 5},  {2, 9, 300}, {0, 4},
                                    {2, 0, 4}, {700, 200}, {3, 50'000}};

}  // namespace

OP_TEST(sparse_softmax_cross_entropy) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (DType label : {int32, int64})
      for (const Shape& shape : kShapes) {
        const Spec rows{label, shape.slice(0, shape.rank() - 1)};
        const double last = static_cast<double>(shape.back() - 1);
        OpTest::check([](const auto& in) { return sparse_softmax_cross_entropy(in[0], in[1]); },
                      {random_tensor(rows, {0, last}), random_tensor({dtype, shape}, {-10, 10})},
                      [](const auto& in) {
                        return plain(in[1], [&](int64_t row, int64_t j) {
                          return in[0].values[row] == static_cast<double>(j) ? 1. : 0.;
                        });
                      },
                      dtype, {.scale = 10});
      }
  // Logits far apart, in either direction.
  EXPECT_EQ(sparse_softmax_cross_entropy_with_logits({0, 1}, {{1000.f, 0.f}, {1000.f, 0.f}})
                .to_vector<float>(),
            (std::vector<float>{0, 1000}));

  const Tensor logits = {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  EXPECT_ERROR(sparse_softmax_cross_entropy({1, 3}, logits), InvalidArgumentError,
               "label 3 at row 1 is no class: there are 3 classes");
  EXPECT_ERROR(sparse_softmax_cross_entropy(constant({-1, 0}, int64), logits), InvalidArgumentError,
               "label -1 at row 0");
  EXPECT_ERROR(sparse_softmax_cross_entropy({1.f, 2.f}, logits), InvalidArgumentError,
               "the labels must be int32 or int64");
  EXPECT_ERROR(sparse_softmax_cross_entropy({1, 2, 0}, logits), InvalidArgumentError,
               "one label for each row of the logits. Got labels int32[3], logits float32[2,3]");
  EXPECT_ERROR(sparse_softmax_cross_entropy({{1, 2}}, logits), InvalidArgumentError, "one label");
  EXPECT_ERROR(sparse_softmax_cross_entropy({1}, {{1, 2}}), InvalidArgumentError,
               "the logits must be float16");
  EXPECT_ERROR(sparse_softmax_cross_entropy(Tensor(0), Tensor(1.f)), InvalidArgumentError,
               "[..., classes]");
  EXPECT_ERROR(sparse_softmax_cross_entropy({0}, random_tensor({float32, {1, 0}})),
               InvalidArgumentError, "at least one class");
}

OP_TEST(softmax_cross_entropy) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (const Shape& shape : kShapes) {
      const double size = static_cast<double>(shape.back());
      OpTest::check(
          [](const auto& in) { return softmax_cross_entropy(in[0], in[1]); },
          {random_tensor({dtype, shape}, {0, 1}), random_tensor({dtype, shape}, {-10, 10})},
          [](const auto& in) {
            return plain(in[1], [&](int64_t row, int64_t j) {
              return in[0].values[row * in[1].shape.back() + j];
            });
          },
          dtype, {.scale = 10 * size});
    }
  EXPECT_FLOAT_EQ(
      softmax_cross_entropy_with_logits({{0.5f, 0.5f}}, {{0.f, 0.f}}).to_vector<float>()[0],
      std::log(2.f));
  const Tensor logits = {{1.f, 2.f}};
  EXPECT_ERROR(softmax_cross_entropy({{1., 2., 3.}}, logits), InvalidArgumentError,
               "must have the same shape");
  EXPECT_ERROR(softmax_cross_entropy({{1, 0}}, logits), InvalidArgumentError, "the dtypes differ");
  EXPECT_ERROR(softmax_cross_entropy({{1, 0}}, {{1, 2}}), InvalidArgumentError, "must be float16");
  EXPECT_ERROR(softmax_cross_entropy(Tensor(1.f), Tensor(1.f)), InvalidArgumentError, "classes]");
}

namespace {

/// (softmax * sum of weights - weight(row, class)) * gradient.
Array plain_gradient(const Array& logits, const Array& gradient,
                     const std::function<double(int64_t, int64_t)>& weight) {
  Array result(logits.shape);
  const int64_t classes = logits.shape.back();
  for (int64_t row = 0; row < gradient.size(); ++row) {
    const double* x = logits.values.data() + row * classes;
    const double largest = *std::max_element(x, x + classes);
    double sum = 0, weights = 0;
    for (int64_t j = 0; j < classes; ++j) {
      sum += std::exp(x[j] - largest);
      weights += weight(row, j);
    }
    for (int64_t j = 0; j < classes; ++j)
      result.values[row * classes + j] =
          (std::exp(x[j] - largest) / sum * weights - weight(row, j)) * gradient.values[row];
  }
  return result;
}

}  // namespace

OP_TEST(sparse_softmax_cross_entropy_gradient) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (DType label : {int32, int64})
      for (const Shape& shape : kShapes) {
        const Shape rows = shape.slice(0, shape.rank() - 1);
        const double last = static_cast<double>(shape.back() - 1);
        OpTest::check(
            [](const auto& in) {
              return sparse_softmax_cross_entropy_gradient(in[0], in[1], in[2]);
            },
            {random_tensor({label, rows}, {0, last}), random_tensor({dtype, shape}, {-10, 10}),
             random_tensor({dtype, rows})},
            [](const auto& in) {
              return plain_gradient(in[1], in[2], [&](int64_t row, int64_t j) {
                return in[0].values[row] == static_cast<double>(j) ? 1. : 0.;
              });
            },
            dtype);
      }
  const Tensor logits = {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  EXPECT_ERROR(sparse_softmax_cross_entropy_gradient({1, 3}, logits, {1.f, 1.f}),
               InvalidArgumentError, "_gradient: label 3 at row 1 is no class");
  EXPECT_ERROR(sparse_softmax_cross_entropy_gradient({1, 2}, logits, {1.f, 1.f, 1.f}),
               InvalidArgumentError, "the gradient must be float32[2], as the losses are");
  EXPECT_ERROR(sparse_softmax_cross_entropy_gradient({1, 2}, logits, {1, 1}), InvalidArgumentError,
               "the gradient must be float32[2]");
}

OP_TEST(softmax_cross_entropy_gradient) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (const Shape& shape : kShapes) {
      const Shape rows = shape.slice(0, shape.rank() - 1);
      OpTest::check(
          [](const auto& in) { return softmax_cross_entropy_gradient(in[0], in[1], in[2]); },
          {random_tensor({dtype, shape}, {0, 1}), random_tensor({dtype, shape}, {-10, 10}),
           random_tensor({dtype, rows})},
          [](const auto& in) {
            return plain_gradient(in[1], in[2], [&](int64_t row, int64_t j) {
              return in[0].values[row * in[1].shape.back() + j];
            });
          },
          dtype, {.scale = static_cast<double>(shape.back())});
    }
  const Tensor logits = {{1.f, 2.f}};
  EXPECT_ERROR(softmax_cross_entropy_gradient({{1.f, 0.f}}, logits, {{1.f}}), InvalidArgumentError,
               "the gradient must be float32[1], as the losses are");
  EXPECT_ERROR(softmax_cross_entropy_gradient({{1.f, 0.f, 0.f}}, logits, {1.f}),
               InvalidArgumentError, "must have the same shape");
}

TEST(CrossEntropy, HasSecondGradients) {
  const Tensor logits = random_tensor({float64, {3, 5}});
  compare_second_gradient(
      [](const std::vector<Tensor>& in) { return sparse_softmax_cross_entropy(in[0], in[1]); },
      {Tensor{4, 0, 2}, logits});
  compare_second_gradient(
      [](const std::vector<Tensor>& in) { return softmax_cross_entropy(in[0], in[1]); },
      {random_tensor({float64, {3, 5}}, {0, 1}), logits});
}

TEST(CrossEntropy, ComputesOnlyTheGradientsAskedFor) {
  const auto f = [](const std::vector<Tensor>& in) { return softmax_cross_entropy(in[0], in[1]); };
  const std::vector<Tensor> inputs = {random_tensor({float32, {3, 5}}),
                                      random_tensor({float32, {3, 5}})};
  EXPECT_EQ(ops_of_gradient(f, inputs, {1}),
            (std::map<std::string, int>{{"softmax_cross_entropy_gradient", 1}}));
  EXPECT_EQ(ops_of_gradient(f, inputs, {0}).count("softmax_cross_entropy_gradient"), 0U);
  EXPECT_EQ(SoftmaxCrossEntropy().needs({0}).inputs, IndexSet{1});
  EXPECT_EQ(SoftmaxCrossEntropy().needs({1}).outputs, IndexSet());
}

TEST(CrossEntropy, InfersUnknownDimensions) {
  const Spec labels{int32, {8}}, logits{float32, {kUnknown, 10}};
  const Spec* refs[] = {&labels, &logits};
  EXPECT_EQ(SparseSoftmaxCrossEntropy().infer(SpecRefs(refs))[0], (Spec{float32, {8}}));
}
