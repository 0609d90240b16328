#include "alula/keras/layers/lambda.h"

#include "alula/ops/operators.h"
#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Identity, IsALayer) {
  check_layer([] { return layers::Identity(); },
              {.inputs = {{float32, {4, 5}}}, .output = {float32, {4, 5}}, .name = "identity"});
}

TEST(Lambda, IsALayer) {
  check_layer([] { return layers::Lambda({.function = [](const Tensor& x) { return x * x; }}); },
              {.inputs = {{float32, {4, 5}}}, .output = {float32, {4, 5}}, .name = "lambda"});
  EXPECT_ERROR(layers::Lambda(), InvalidArgumentError, "Lambda: a function must be given");
  EXPECT_ERROR(layers::Lambda({.function = [](const Tensor&) { return Tensor(); }})({{1.F}}),
               InvalidArgumentError, "(Lambda): Lambda: the function gave a tensor that is not");
}
