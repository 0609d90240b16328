#include "alula/graph/compat/gradients.h"

#include "alula/graph/compat/v1.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

namespace {

class CompatGradients : public ::testing::Test {
 protected:
  void SetUp() override { v1::reset_default_graph(); }
};

}  // namespace

TEST_F(CompatGradients, OfVariablesAndOfTensorsBetween) {
  v1::Session session;
  const v1::Variable w(Tensor{{2.f}, {3.f}}, {.name = "w"});
  const Tensor x = v1::placeholder(float32, {kUnknown, 2}, {.name = "x"});
  const Tensor y = matmul(x, w);
  const Tensor loss = reduce_mean(square(y));
  session.run(v1::global_variables_initializer());
  const std::vector<Tensor> found = v1::gradients({loss}, std::vector<Tensor>{w, y, x});
  const std::vector<Tensor> values =
      session.run(found, {.feed_dict = {{x, Tensor{{1.f, 2.f}, {3.f, 4.f}}}}});
  // y = {8, 18}; dloss/dy = y; dw = x' y; dx = y w'
  expect_equal(values[0], {{2, 1}, {62, 88}}, float32);
  expect_equal(values[1], {{2, 1}, {8, 18}}, float32);
  expect_equal(values[2], {{2, 2}, {16, 24, 36, 54}}, float32);
}

TEST_F(CompatGradients, OfGradients) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {}, {.name = "x"});
  const Tensor y = x * x * x;
  const Tensor first = v1::gradients({y}, std::vector{x})[0];
  const Tensor second = v1::gradients({first}, std::vector{x})[0];
  const std::vector<Tensor> values =
      session.run({first, second}, {.feed_dict = {{x, Tensor(2.f)}}});
  EXPECT_EQ(values[0].item<float>(), 12);
  EXPECT_EQ(values[1].item<float>(), 12);
}

TEST_F(CompatGradients, SeveralAreAddedUpFromWhatIsGiven) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {});
  const std::vector<Tensor> ys = {x * 2, x * 5};
  const Tensor sum = v1::gradients(ys, std::vector{x})[0];
  const Tensor weighted =
      v1::gradients(ys, std::vector{x}, {.grad_ys = {Tensor(10.f), Tensor(1.f)}})[0];
  const std::vector<Tensor> values =
      session.run({sum, weighted}, {.feed_dict = {{x, Tensor(1.f)}}});
  EXPECT_EQ(values[0].item<float>(), 7);
  EXPECT_EQ(values[1].item<float>(), 25);
}

TEST_F(CompatGradients, AreUndefinedWhereNothingDepends) {
  const Tensor x = v1::placeholder(float32, {2}), other = v1::placeholder(float32, {2});
  const Tensor index = v1::placeholder(int32, {2});
  const Tensor y = x * 2 + cast(argmax(x), float32) + cast(index, float32);
  const std::vector<Tensor> found = v1::gradients({y}, std::vector{x, other, index});
  EXPECT_TRUE(found[0].defined());
  EXPECT_FALSE(found[1].defined());
  EXPECT_FALSE(found[2].defined());
  EXPECT_FALSE(v1::gradients({cast(argmax(x), float32)}, std::vector{x})[0].defined());
}

TEST_F(CompatGradients, SayWhatIsWrong) {
  const Tensor x = v1::placeholder(float32, {2}), n = v1::placeholder(int32, {2});
  EXPECT_ERROR(v1::gradients({}, std::vector{x}), InvalidArgumentError, "there are no ys");
  EXPECT_ERROR(v1::gradients({n}, std::vector{x}), InvalidArgumentError, "of a floating type");
  EXPECT_ERROR(v1::gradients({Tensor()}, std::vector{x}), InvalidArgumentError, "not defined");
  EXPECT_ERROR(v1::gradients({x}, std::vector{Tensor()}), InvalidArgumentError, "x 0 is not");
  EXPECT_ERROR(v1::gradients({x}, std::vector{x}, {.grad_ys = {x, x}}), InvalidArgumentError,
               "one tensor a y. Got 2 for 1");
  EXPECT_ERROR(v1::gradients({x}, std::vector{x}, {.grad_ys = {n}}), InvalidArgumentError,
               "grad_ys[0] must be like its y, float32[2]");
}

TEST_F(CompatGradients, TrainAModel) {
  random::set_seed(1);
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {kUnknown, 1}),
               y = v1::placeholder(float32, {kUnknown, 1});
  const v1::Variable w = v1::get_variable("w", {.shape = {1, 1}});
  const v1::Variable b =
      v1::get_variable("b", {.shape = {1}, .initializer = v1::zeros_initializer()});
  const Tensor loss = reduce_mean(squared_difference(matmul(x, w) + b, y));
  const std::vector<Tensor> found = v1::gradients({loss}, v1::trainable_variables());
  const v1::Operation train =
      v1::group(std::vector{w.assign_sub(found[0] * 0.1f), b.assign_sub(found[1] * 0.1f)});
  session.run(v1::global_variables_initializer());
  const Tensor inputs = {{-1.f}, {0.f}, {1.f}, {2.f}};
  const Tensor labels = {{-5.f}, {-2.f}, {1.f}, {4.f}};  // 3 x - 2
  for (int i = 0; i < 200; ++i) session.run(train, {.feed_dict = {{x, inputs}, {y, labels}}});
  EXPECT_NEAR(session.run(w).item<float>(), 3, 1e-3);
  EXPECT_NEAR(session.run(b).item<float>(), -2, 1e-3);
  EXPECT_EQ(session.compiled_count(), 4u);
}
