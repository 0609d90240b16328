#include "alula/keras/input.h"

#include "alula/keras/layers/dense.h"
#include "alula/keras/names.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Input, StandsForABatch) {
  backend::clear_session();
  const Tensor x = Input({.shape = {28, 28, 1}});
  EXPECT_TRUE(x.is_symbolic());
  EXPECT_EQ(to_string(x.spec()), "float32[?,28,28,1]");
  EXPECT_EQ(to_string(Input({.shape = {3}, .batch_size = 8, .dtype = int32}).spec()), "int32[8,3]");
  EXPECT_EQ(to_string(Input({.shape = Shape()}).spec()), "float32[?]");
  EXPECT_EQ(to_string(Input({.shape = {kUnknown, 3}}).spec()), "float32[?,?,3]");
  EXPECT_EQ(input_layer_of(x).name(), "input_layer");
  EXPECT_EQ(input_layer_of(Input({.shape = {2}, .name = "pixels"})).name(), "pixels");
}

TEST(Input, CastsAndSqueezes) {
  const layers::InputLayer layer({.shape = {28, 28, 1}});
  EXPECT_EQ(to_string(layer(random_tensor({uint8, {2, 28, 28, 1}})).spec()), "float32[2,28,28,1]");
  EXPECT_EQ(to_string(layer(random_tensor({float32, {2, 28, 28}})).spec()), "float32[2,28,28,1]");
  EXPECT_EQ(
      to_string(layers::InputLayer({.shape = {5}})(random_tensor({float64, {2, 5, 1}})).spec()),
      "float32[2,5]");
}

TEST(Input, IsNotedByLayers) {
  const Tensor x = Input({.shape = {5}});
  const layers::Dense dense({.units = 3});
  const Tensor y = dense(x);
  EXPECT_EQ(to_string(y.spec()), "float32[?,3]");
  EXPECT_EQ(dense.count_params(), 18);
  const Symbol* symbol = y.note<Symbol>();
  ASSERT_NE(symbol, nullptr);
  const auto* call = dynamic_cast<const LayerCall*>(symbol->call.get());
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->layer().name(), dense.name());
  EXPECT_TRUE(call->inputs()[0].same_as(x));
}

TEST(Input, SaysWhatIsWrong) {
  EXPECT_ERROR(Input({}), InvalidArgumentError, "Input: the shape of one example must be given");
  const layers::InputLayer layer({.shape = {5}, .name = "in"});
  EXPECT_ERROR(layer(random_tensor({float32, {2, 4}})), InvalidArgumentError,
               "layer 'in' (InputLayer): takes float32[?,5]. Got float32[2,4].");
  EXPECT_ERROR(input_layer_of(random_tensor({float32, {2}})), InvalidArgumentError,
               "an Input is wanted here");
}
