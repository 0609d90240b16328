#include <random>

#include "alula/autograd/tape.h"
#include "alula/graph/edit.h"
#include "alula/graph/function.h"
#include "alula/graph/passes.h"
#include "alula/graph/trace.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

using Names = std::vector<std::string>;
using Activation = std::function<Tensor(const Tensor&)>;

/// The names of the ops, in order.
Names after(void (*pass)(Graph&), const TracedFunction& function, const std::vector<Spec>& specs) {
  Graph graph = trace(function, specs);
  remove_dead(graph);
  pass(graph);
  sort(graph);
  remove_dead(graph);
  Names names;
  for (const Node& node : graph.nodes)
    if (node.kind == Node::Kind::kOp) names.emplace_back(node.op->name());
  return names;
}

struct Block {
  Activation activation = [](const Tensor& x) { return relu(x); };
  Conv2DOptions conv{};
  Pool2DOptions pool{};
  bool trains = true;
};

/// Convolution, bias, activation, pooling; and the gradients with respect to all inputs.
TracedFunction block(const Block& b) {
  return [b](const std::vector<Tensor>& in) {
    GradientTape tape;
    for (const Tensor& x : in) tape.watch(x);
    const Tensor y = max_pool2d(b.activation(conv2d(in[0], in[1], b.conv) + in[2]), b.pool);
    if (!b.trains) return std::vector{y};
    std::vector<Tensor> results = tape.gradient(reduce_sum(y * y), in);
    results.push_back(y);
    return results;
  };
}

const std::vector<Spec> kSpecs{{float32, {2, 10, 9, 3}}, {float32, {3, 3, 3, 8}}, {float32, {8}}};

void expect_near(const Tensor& actual, const Tensor& expected) {
  double scale = 0;
  for (double x : to_array(expected).values) scale = std::max(scale, std::abs(x));
  expect_equal(actual, to_array(expected), expected.dtype(), {.scale = 10 * scale});
}

/// Compiled with all passes, the results are those of eager calls.
void compare(const TracedFunction& f, const std::vector<Spec>& specs) {
  std::vector<Tensor> inputs;
  for (const Spec& spec : specs) inputs.push_back(random_tensor(spec, {-1, 1}));
  const std::vector<Tensor> expected = f(inputs);
  Compiled compiled(trace(f, specs));
  std::vector<const Tensor*> refs;
  for (const Tensor& input : inputs) refs.push_back(&input);
  const Tensors results = compiled.run(TensorRefs(refs));
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) expect_near(results[i], expected[i]);
}

}  // namespace

TEST(PoolFirst, PutsBiasAndActivationBehindPooling) {
  EXPECT_EQ(after(pool_first, block({.trains = false}), kSpecs),
            (Names{"conv2d", "max_pool2d", "add", "relu"}));
}

TEST(PoolFirst, ComputesGradientsAtTheWinnersOnly) {
  const Names names = after(pool_first, block({}), kSpecs);
  EXPECT_EQ(std::count(names.begin(), names.end(), "max_pool2d_with_positions"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "conv2d_filter_gradient_at"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "conv2d_input_gradient_at"), 1);
  for (const char* gone : {"max_pool2d", "max_pool2d_gradient", "max_pool2d_scatter",
                           "conv2d_backprop_filter", "conv2d_backprop_input"})
    EXPECT_EQ(std::count(names.begin(), names.end(), gone), 0) << gone;
}

TEST(PoolFirst, LeavesAloneWhatIsNotMonotone) {
  const Block b{.activation = [](const Tensor& x) { return silu(x); }, .trains = false};
  EXPECT_EQ(after(pool_first, block(b), kSpecs), (Names{"conv2d", "add", "silu", "max_pool2d"}));
}

TEST(PoolFirst, PicksWhatOtherGradientsNeed) {
  const Names names =
      after(pool_first, block({.activation = [](const Tensor& x) { return silu(x); }}), kSpecs);
  EXPECT_EQ(std::count(names.begin(), names.end(), "max_pool2d_gather"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "conv2d_filter_gradient_at"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "max_pool2d_scatter"), 0);
}

TEST(PoolFirst, LeavesAloneWhatDiffersWithinAWindow) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    return std::vector{max_pool2d(in[0] + in[1])};
  };
  EXPECT_EQ(after(pool_first, f, {{float32, {2, 4, 4, 3}}, {float32, {4, 4, 3}}}),
            (Names{"add", "max_pool2d"}));
  EXPECT_EQ(after(pool_first, f, {{float32, {2, 4, 4, 3}}, {float32, {2, 1, 1, 3}}}),
            (Names{"max_pool2d", "add"}));
}

TEST(PoolFirst, LeavesAloneWhatOthersNeed) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    const Tensor y = relu(conv2d(in[0], in[1]) + in[2]);
    return std::vector{max_pool2d(y), y};
  };
  EXPECT_EQ(after(pool_first, f, kSpecs), (Names{"conv2d", "add", "relu", "max_pool2d"}));
}

TEST(PoolFirst, UsesPositionsWhereTheInputIsNeededAnyway) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor y = relu(in[0]);
    return std::vector{y, tape.gradient(reduce_sum(max_pool2d(y)), in[0])};
  };
  const Names names = after(pool_first, f, {{float32, {2, 4, 4, 3}}});
  EXPECT_EQ(std::count(names.begin(), names.end(), "max_pool2d_with_positions"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "max_pool2d_scatter"), 1);
  compare(f, {{float32, {2, 4, 4, 3}}});
}

TEST(PoolFirst, LeavesIntegersAndEmptyImagesAlone) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    return std::vector{max_pool2d(relu(in[0]))};
  };
  EXPECT_EQ(after(pool_first, f, {{int32, {2, 4, 4, 3}}}), (Names{"relu", "max_pool2d"}));
  EXPECT_EQ(after(pool_first, f, {{float32, {0, 4, 4, 3}}}), (Names{"relu", "max_pool2d"}));
}

TEST(FuseConv2D, TakesInPoolingBiasAndActivation) {
  const auto both = [](Graph& graph) {
    pool_first(graph);
    sort(graph);
    fuse_conv2d(graph);
  };
  EXPECT_EQ(after(both, block({.trains = false}), kSpecs), Names{"conv2d_fused"});
  const Names names = after(both, block({}), kSpecs);
  EXPECT_EQ(names[0], "conv2d_fused");
  for (const char* gone : {"conv2d", "relu", "max_pool2d_with_positions"})
    EXPECT_EQ(std::count(names.begin(), names.end(), gone), 0) << gone;
}

TEST(FuseConv2DGradient, TakesInTheActivationAndTheBias) {
  const auto all = [](Graph& graph) {
    for (const auto pass : {pool_first, fuse_conv2d, fuse_conv2d_gradient}) {
      pass(graph);
      sort(graph);
      remove_dead(graph);
    }
  };
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[1]);
    tape.watch(in[2]);
    const Tensor y = max_pool2d(leaky_relu(conv2d(in[0], in[1]) + in[2]));
    return tape.gradient(reduce_sum(y * in[3]), std::vector{in[1], in[2]});
  };
  std::vector<Spec> specs = kSpecs;
  specs.push_back({float32, {2, 4, 3, 8}});
  const Names names = after(all, f, specs);
  EXPECT_EQ(names.back(), "conv2d_filter_gradient_at");
  EXPECT_EQ(std::count(names.begin(), names.end(), "leaky_relu_gradient"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "reduce_sum"), 1);  // of the loss
  compare(f, specs);
  // With the input's gradient, the activation's is read twice, so it stays.
  const Names both = after(all, block({}), kSpecs);
  EXPECT_EQ(std::count(both.begin(), both.end(), "relu_gradient"), 1);
}

TEST(FuseConv2D, NeedsNoPooling) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    return std::vector{gelu(conv2d(in[0], in[1]) + in[2])};
  };
  EXPECT_EQ(after(fuse_conv2d, f, kSpecs), Names{"conv2d_fused"});
  compare(f, kSpecs);
}

TEST(FuseConv2D, LeavesAConvolutionAlone) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    return std::vector{reduce_sum(conv2d(in[0], in[1]))};
  };
  EXPECT_EQ(after(fuse_conv2d, f, kSpecs), (Names{"conv2d", "reduce_sum"}));
}

TEST(FuseConv2D, GoesAroundNothing) {
  // The mean is made of the convolution, so the difference can't be taken in.
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    const Tensor y = conv2d(in[0], in[1]);
    return std::vector{relu(y) * reduce_mean(y, {.axis = {0, 1, 2}})};
  };
  EXPECT_EQ(after(fuse_conv2d, f, kSpecs), (Names{"conv2d_fused", "reduce_mean", "mul"}));
  compare(f, kSpecs);
}

TEST(FuseConv2D, AddsTensorsOfItsShape) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    const Tensor y = conv2d(in[0], in[1], {.padding = "SAME"});
    return std::vector{relu(conv2d(y, in[2], {.padding = "SAME"}) + y)};
  };
  const std::vector<Spec> specs{
      {float32, {2, 8, 8, 3}}, {float32, {3, 3, 3, 8}}, {float32, {3, 3, 8, 8}}};
  EXPECT_EQ(after(fuse_conv2d, f, specs), (Names{"conv2d", "conv2d_fused"}));
  compare(f, specs);
}

/// All activations that Keras has, monotone or not.
TEST(PoolFirst, CompiledGivesWhatEagerDoes) {
  const Activation activations[] = {
      [](const Tensor& x) { return x; },
      [](const Tensor& x) { return relu(x); },
      [](const Tensor& x) { return relu6(x * 8); },
      [](const Tensor& x) { return leaky_relu(x); },
      [](const Tensor& x) { return elu(x); },
      [](const Tensor& x) { return selu(x); },
      [](const Tensor& x) { return alula::tanh(x); },
      [](const Tensor& x) { return sigmoid(x); },
      [](const Tensor& x) { return softplus(x); },
      [](const Tensor& x) { return gelu(x); },
      [](const Tensor& x) { return silu(x); },
      [](const Tensor& x) { return -x; },
      [](const Tensor& x) { return relu(x * 2 - 1) * 3; },
  };
  for (const Activation& activation : activations) compare(block({activation}), kSpecs);
}

TEST(PoolFirst, TakesEveryOption) {
  for (const DType dtype : {float32, float64})
    for (const Size2 strides : {Size2(1), Size2(2)})
      for (const Padding& padding : {Padding("VALID"), Padding("SAME")})
        for (const Pool2DOptions& pool : {Pool2DOptions{},
                                          {.ksize = 3, .strides = 2},
                                          {.ksize = 3, .strides = 1, .padding = "SAME"},
                                          {.ksize = {1, 2}, .strides = {2, 3}}}) {
          std::vector<Spec> specs = kSpecs;
          for (Spec& spec : specs) spec.dtype = dtype;
          compare(block({.conv = {.strides = strides, .padding = padding}, .pool = pool}), specs);
        }
}

TEST(PoolFirst, TakesSeveralBlocksInARow) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    GradientTape tape;
    for (const Tensor& x : in) tape.watch(x);
    const Tensor a = max_pool2d(relu(conv2d(in[0], in[1]) + in[2]));
    const Tensor b = max_pool2d(alula::tanh(conv2d(a, in[3], {.padding = "SAME"}) + in[4]));
    return tape.gradient(reduce_sum(b * b), in);
  };
  compare(f, {{float32, {3, 14, 14, 1}},
              {float32, {3, 3, 1, 16}},
              {float32, {16}},
              {float32, {3, 3, 16, 20}},
              {float32, {20}}});
}

TEST(PoolFirst, TakesAPoolingWithoutConvolution) {
  const TracedFunction f = [](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    return std::vector{tape.gradient(reduce_sum(max_pool2d(relu(in[0])) * 2), in[0])};
  };
  compare(f, {{float32, {2, 6, 6, 5}}});
}

/// Blocks of all kinds in a row, with other things between them.
TEST(PoolFirst, CompiledGivesWhatEagerDoesForRandomModels) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const auto padding = [&] { return pick(0, 1) == 0 ? Padding("VALID") : Padding("SAME"); };
  const Activation activations[] = {
      [](const Tensor& x) { return relu(x); },    [](const Tensor& x) { return elu(x); },
      [](const Tensor& x) { return silu(x); },    [](const Tensor& x) { return x * 0.5F; },
      [](const Tensor& x) { return sigmoid(x); }, [](const Tensor& x) { return x; }};
  for (int i = 0; i < 60; ++i) {
    struct Layer {
      Conv2DOptions conv;
      Pool2DOptions pool;
      int64_t activation, kind;
    };
    std::vector<Layer> layers;
    int64_t channels = pick(1, 4);
    std::vector<Spec> specs{{float64, {pick(1, 3), pick(16, 22), pick(16, 22), channels}}};
    for (int64_t k = pick(1, 2); k > 0; --k) {
      const int64_t groups = channels % 2 == 0 ? pick(1, 2) : 1, made = 8 * pick(1, 3);
      specs.push_back({float64, {pick(1, 4), pick(1, 4), channels / groups, made}});
      specs.push_back({float64, {made}});
      channels = made;
      layers.push_back(
          {{.strides = pick(1, 2), .padding = padding()},
           {.ksize = {pick(1, 3), pick(1, 3)}, .strides = pick(1, 2), .padding = padding()},
           pick(0, 5),
           pick(0, 4)});
    }
    const TracedFunction f = [&](const std::vector<Tensor>& in) {
      GradientTape tape;
      for (const Tensor& x : in) tape.watch(x);
      Tensor x = in[0];
      for (size_t k = 0; k < layers.size(); ++k) {
        const Layer& layer = layers[k];
        x = conv2d(x, in[2 * k + 1], layer.conv);
        if (layer.kind != 1) x = x + in[2 * k + 2];
        x = activations[layer.activation](x);
        if (layer.kind == 2) x = x * x;
        if (layer.kind == 3) x = max_pool2d(x, layer.pool) + 0.25F * avg_pool2d(x, layer.pool);
        if (layer.kind != 3) x = max_pool2d(x, layer.pool);
      }
      std::vector<Tensor> results{x};
      for (const Tensor& gradient : tape.gradient(reduce_sum(x * x), in))
        if (gradient.defined()) results.push_back(gradient);
      return results;
    };
    SCOPED_TRACE(i);
    compare(f, specs);
  }
}

TEST(PoolFirst, LeavesTiesWhereTheirGradientIsSeen) {
  // All of a window is negative: relu makes them equal, and the first one wins.
  const auto f = [](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor positive = relu(x);
    tape.watch(positive);
    const Tensor y = max_pool2d(positive, {.ksize = 2, .strides = 2});
    return tape.gradient(reduce_sum(y), positive);
  };
  const Tensor x(std::vector<float>{-4, -3, -2, -1}, {1, 2, 2, 1});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{1, 0, 0, 0}));
  EXPECT_EQ(function(f)(x).to_vector<float>(), f(x).to_vector<float>());
}
