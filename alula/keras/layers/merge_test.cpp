#include "alula/keras/layers/merge.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

template <class Merge>
void check_merge(const std::string& name, size_t count = 2) {
  check_layer([] { return Merge(); }, {.inputs = std::vector<Spec>(count, {float32, {4, 3, 5}}),
                                       .output = {float32, {4, 3, 5}},
                                       .name = name});
  check_layer([] { return Merge(); }, {.inputs = {{float32, {4, 3, 5}}, {float32, {4, 1, 5}}},
                                       .output = {float32, {4, 3, 5}},
                                       .name = name});
  // Missing dimensions come behind the batch.
  check_layer([] { return Merge(); }, {.inputs = {{float32, {4, 5}}, {float32, {4, 3, 5}}},
                                       .output = {float32, {4, 3, 5}},
                                       .name = name});
  const Tensor x = random_tensor({float32, {4, 5}});
  EXPECT_ERROR(Merge()(x), InvalidArgumentError, "takes a list of inputs. Got float32[4,5] alone.");
  EXPECT_ERROR(Merge({.name = "m"})({x, random_tensor({float32, {4, 6}})}), InvalidArgumentError,
               "layer 'm' (");
}

}  // namespace

TEST(MergeLayers, AreLayers) {
  check_merge<layers::Add>("add", 3);
  check_merge<layers::Subtract>("subtract");
  check_merge<layers::Multiply>("multiply", 3);
  check_merge<layers::Average>("average", 4);
  check_merge<layers::Maximum>("maximum", 3);
  check_merge<layers::Minimum>("minimum", 3);
  check_layer([] { return layers::Concatenate({.axis = 1}); },
              {.inputs = {{float32, {4, 3, 5}}, {float32, {4, 1, 5}}, {float32, {4, 2, 5}}},
               .output = {float32, {4, 6, 5}},
               .name = "concatenate"});
}

TEST(MergeLayers, GiveTheirValues) {
  const Tensor a = {{1.F, 8.F}}, b = {{3.F, 2.F}};
  expect_equal(layers::Add()({a, b}), {{1, 2}, {4, 10}}, float32);
  expect_equal(layers::Subtract()({a, b}), {{1, 2}, {-2, 6}}, float32);
  expect_equal(layers::Multiply()({a, b}), {{1, 2}, {3, 16}}, float32);
  expect_equal(layers::Average()({a, b}), {{1, 2}, {2, 5}}, float32);
  expect_equal(layers::Maximum()({a, b}), {{1, 2}, {3, 8}}, float32);
  expect_equal(layers::Minimum()({a, b}), {{1, 2}, {1, 2}}, float32);
  expect_equal(layers::Concatenate()({a, b}), {{1, 4}, {1, 8, 3, 2}}, float32);
  const Tensor i = {{1, 2}};
  expect_equal(layers::Add()({i, i}), {{1, 2}, {2, 4}}, int32);
  expect_equal(layers::Add()({i, a}), {{1, 2}, {2, 10}}, float32);
  expect_equal(layers::Average()({i, {{2, 4}}}), {{1, 2}, {1.5, 3}}, float32);
  expect_equal(layers::Add()(std::vector<Tensor>{a}), {{1, 2}, {1, 8}}, float32);
}

TEST(MergeLayers, SayWhatIsWrong) {
  const Tensor x = random_tensor({float32, {4, 5}});
  EXPECT_ERROR(layers::Subtract({.name = "s"})({x, x, x}), InvalidArgumentError,
               "layer 's' (Subtract): takes two inputs. Got 3.");
  EXPECT_ERROR(layers::Concatenate()(x), InvalidArgumentError, "takes a list of inputs");
  EXPECT_ERROR(layers::Concatenate({.axis = 1, .name = "c"})({x, random_tensor({float32, {3, 5}})}),
               InvalidArgumentError, "layer 'c' (Concatenate): concat: ");
  EXPECT_ERROR(layers::Add()(std::vector<Tensor>{}), InvalidArgumentError, "it needs an input");
}
