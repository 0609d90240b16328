// Keras's models in graphs that sessions run.
#include "alula/alula.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

namespace {

keras::Sequential small_model() {
  return keras::Sequential({
      keras::layers::Conv2D(
          {.filters = 4, .kernel_size = 3, .activation = "relu", .input_shape = {8, 8, 1}}),
      keras::layers::MaxPooling2D(),
      keras::layers::Flatten(),
      keras::layers::Dense({.units = 5, .activation = "softmax"}),
  });
}

std::vector<float> values_of(const Tensor& tensor) { return tensor.to_vector<float>(); }

class SessionOfModels : public ::testing::Test {
 protected:
  void SetUp() override { v1::reset_default_graph(); }
};

}  // namespace

TEST_F(SessionOfModels, PredictsWhatTheModelDoes) {
  const auto model = small_model();
  const Tensor images = random::uniform({3, 8, 8, 1}, {.seed = 1});
  const Tensor expected = model(images);
  v1::Session session;
  const Tensor image = v1::placeholder(float32, {kUnknown, 8, 8, 1});
  const Tensor prediction = model(image);
  const Tensor found = session.run(prediction, {.feed_dict = {{image, images}}});
  ASSERT_EQ(found.shape(), (Shape{3, 5}));
  const std::vector<float> a = values_of(found), b = values_of(expected);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
}

TEST_F(SessionOfModels, ALayerMayBeBuiltInAGraph) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {kUnknown, 4});
  const auto dense = keras::layers::Dense({.units = 2, .kernel_initializer = "ones"});
  const Tensor y = dense(x);
  expect_equal(session.run(y, {.feed_dict = {{x, Tensor{{1.f, 2.f, 3.f, 4.f}}}}}),
               {{1, 2}, {10, 10}}, float32);
}

TEST_F(SessionOfModels, TrainsAsAnEagerStepDoes) {
  const auto eager = small_model(), built = keras::models::clone_model(eager);
  built.set_weights(eager.get_weights());
  const Tensor images = random::uniform({6, 8, 8, 1}, {.seed = 2});
  const Tensor labels = {0, 1, 2, 3, 4, 0};
  const auto loss_of = keras::losses::SparseCategoricalCrossentropy();
  auto eager_adam = keras::optimizers::Adam({.learning_rate = 0.01});
  auto graph_adam = keras::optimizers::Adam({.learning_rate = 0.01});
  std::vector<float> expected, found;
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    const Tensor loss = loss_of(labels, eager(images));
    const auto variables = eager.trainable_variables();
    eager_adam.apply_gradients(keras::zip(tape.gradient(loss, variables), variables));
    expected.push_back(loss.item<float>());
  }
  {
    v1::Session session;
    const Tensor x = v1::placeholder(float32, {kUnknown, 8, 8, 1});
    const Tensor y = v1::placeholder(int32, {kUnknown});
    const Tensor loss = loss_of(y, built(x));
    const auto variables = built.trainable_variables();
    const std::vector<Tensor> sources(variables.begin(), variables.end());
    const std::vector<Tensor> gradients = v1::gradients({loss}, sources);
    const v1::Operation step =
        v1::operation([&] { graph_adam.apply_gradients(keras::zip(gradients, variables)); });
    for (int i = 0; i < 5; ++i)
      found.push_back(
          session.run(loss, {.feed_dict = {{x, images}, {y, labels}}, .targets = {step}})
              .item<float>());
    EXPECT_EQ(session.compiled_count(), 1u);
  }
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  EXPECT_LT(found.back(), found.front());
  EXPECT_EQ(graph_adam.iterations().value().item<int64_t>(), 5);
}
