#include "alula/graph/vectorized_map.h"

#include <algorithm>

#include "alula/autograd/tape.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// What a loop over the elements gives.
template <class F>
Tensor loop(const F& f, const Tensor& elems) {
  std::vector<Tensor> results;
  for (const Tensor& elem : unstack(elems)) results.push_back(f(elem));
  return stack(results);
}

template <class F>
void expect_like_loop(const F& f, const Tensor& elems) {
  expect_equal(vectorized_map(f, elems), to_array(loop(f, elems)), f(unstack(elems)[0]).dtype(),
               {.relative = 1e-5});
}

}  // namespace

TEST(VectorizedMap, IsALoop) {
  expect_equal(vectorized_map([](const Tensor& row) { return row / reduce_sum(row); },
                              Tensor{{1.f, 3.f}, {4.f, 1.f}}),
               {{2, 2}, {0.25, 0.75, 0.8, 0.2}}, float32);
  expect_like_loop([](const Tensor& x) { return x * x; }, random_tensor({float32, {5}}));
  expect_like_loop([](const Tensor& x) { return softmax(transpose(x), {.axis = 0}); },
                   random_tensor({float32, {4, 2, 3}}));
  expect_like_loop([](const Tensor& x) { return matmul(x, x, {.transpose_b = true}); },
                   random_tensor({float64, {4, 2, 3}}));
  // A random-crop-like step: positions that depend on the element.
  expect_like_loop(
      [](const Tensor& x) {
        const Tensor from = argmax(reshape(x, {-1}), {.output_type = int32}) % 3;
        return gather(x, range(3) + from, {.axis = 1});
      },
      random_tensor({float32, {6, 4, 5}}));
}

TEST(VectorizedMap, MapsANetworksLayers) {
  Variable filter(random_tensor({float32, {3, 3, 2, 4}}));
  Variable gamma(random_tensor({float32, {4}})), beta(random_tensor({float32, {4}}));
  Variable kernel(random_tensor({float32, {4 * 4 * 4, 3}}));
  expect_like_loop(
      [&](const Tensor& images) {
        const Tensor y = conv2d(images, filter, {.padding = "SAME"});
        const Tensor z = max_pool2d(relu(batch_norm(y, gamma, beta).y));
        return log_softmax(matmul(reshape(z, {2, -1}), kernel));
      },
      random_tensor({float32, {3, 2, 8, 8, 2}}));
}

TEST(VectorizedMap, TakesAndReturnsSeveralTensors) {
  const Tensor a = random_tensor({float32, {4, 2, 3}}), b = random_tensor({float32, {4, 3}});
  const std::vector<Tensor> results = vectorized_map(
      [](const Tensor& x, const Tensor& y) { return std::vector<Tensor>{x + y, reduce_sum(y)}; }, a,
      b);
  ASSERT_EQ(results.size(), 2u);
  expect_equal(results[0], to_array(a + reshape(b, {4, 1, 3})), float32);
  expect_equal(results[1], to_array(reduce_sum(b, {.axis = 1})), float32);

  const std::vector<Tensor> list = {a, a};
  expect_equal(vectorized_map([](const std::vector<Tensor>& in) { return in[0] - in[1]; }, list),
               Array({4, 2, 3}), float32);
}

TEST(VectorizedMap, RepeatsWhatIsTheSameForAll) {
  const Tensor a = random_tensor({float32, {4, 3}}), once = random_tensor({float32, {1, 3}});
  expect_equal(vectorized_map([](const Tensor& x, const Tensor& y) { return x * y; }, a, once),
               to_array(a * once), float32);
  expect_equal(vectorized_map([](const Tensor& x, const Tensor& y) { return x * y; }, once, a),
               to_array(a * once), float32);
  expect_equal(vectorized_map([](const Tensor&) { return Tensor{1, 2}; }, a),
               {{4, 2}, {1, 2, 1, 2, 1, 2, 1, 2}}, int32);
  EXPECT_EQ(vectorized_map([](const Tensor& x) { return alula::exp(x); }, once).shape(),
            (Shape{1, 3}));
}

TEST(VectorizedMap, ComputesOnceWhatIsTheSameForAll) {
  struct Counter final : Listener {
    int products = 0;
    void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
      products += op.name() == std::string("matmul");
    }
  } counter;
  Variable v(random_tensor({float32, {3, 3}}));
  const Tensor x = random_tensor({float32, {100, 3}});
  const Tensor y = vectorized_map([&](const Tensor& row) { return row + matmul(v, v); }, x);
  EXPECT_EQ(y.shape(), (Shape{100, 3, 3}));
  EXPECT_EQ(counter.products, 1);
}

TEST(VectorizedMap, TakesNoElements) {
  const std::vector<Tensor> results = vectorized_map(
      [](const Tensor& x) {
        return std::vector<Tensor>{reduce_max(x, {.axis = 0}), argmax(x), Tensor{std::string("a")}};
      },
      zeros({0, 2, 3}));
  EXPECT_EQ(results[0].spec(), (Spec{float32, {0, 3}}));
  EXPECT_EQ(results[1].spec(), (Spec{int64, {0, 3}}));
  EXPECT_EQ(results[2].spec(), (Spec{string, {0, 1}}));
}

TEST(VectorizedMap, DrawsForEachElement) {
  const Tensor x = zeros({200, 8});
  const auto rows_differ = [](const Tensor& y) {
    const Tensors rows = unstack(y);
    return to_array(rows[0]).values != to_array(rows[1]).values;
  };
  random::set_seed(3);
  const Tensor noisy = vectorized_map([](const Tensor& e) { return e + random::normal({8}); }, x);
  EXPECT_EQ(noisy.shape(), (Shape{200, 8}));
  EXPECT_TRUE(rows_differ(noisy));
  EXPECT_NEAR(reduce_mean(noisy).item<float>(), 0, 0.1);
  random::set_seed(3);
  const auto compiled = function([](const Tensor& in) {
    return vectorized_map([](const Tensor& e) { return e + random::normal({8}); }, in);
  });
  expect_equal(compiled(x), to_array(noisy), float32);
  EXPECT_NE(to_array(compiled(x)).values, to_array(noisy).values);

  // Every element has an order of its own, each equally likely.
  const Tensor shuffled =
      vectorized_map([](const Tensor&) { return random::shuffle(Tensor{1, 2, 3}); }, zeros({6000}));
  std::map<std::vector<double>, int> counts;
  for (const Tensor& row : unstack(shuffled)) ++counts[to_array(row).values];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) {
    EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), std::begin({1.0, 2.0, 3.0})));
    EXPECT_NEAR(count, 1000, 150);
  }
}

TEST(VectorizedMap, IsPartOfAFunction) {
  Variable w(random_tensor({float32, {3}}));
  const Tensor x = random_tensor({float32, {5, 2, 3}}), b = random_tensor({float32, {2, 3}});
  const auto step = function([&](const Tensor& in, const Tensor& bias) {
    const Tensor twice = bias * 2;  // the function's own tensors may be read inside
    w.assign_add(ones({3}));        // and variables as they are by then
    return vectorized_map([&](const Tensor& e) { return e * w + bias + twice; }, in);
  });
  const Tensor before = w.value() + 0.f;
  expect_equal(step(x, b), to_array(x * (before + 1.f) + b * 3.f), float32, {.relative = 1e-5});
  EXPECT_EQ(step.trace_count(), 1u);
  expect_equal(w, to_array(before + 1.f), float32);
}

TEST(VectorizedMap, CapturesRandomNumbersOfTheFunctionAround) {
  const auto f = function([](const Tensor& in) {
    const Tensor noise = random::uniform({4});
    return vectorized_map([&](const Tensor& e) { return e + noise; }, in);
  });
  const Tensors rows = unstack(f(zeros({2, 4})));
  expect_equal(rows[0], to_array(rows[1]), float32);  // drawn before, once
}

TEST(VectorizedMap, CanBeNested) {
  const Tensor x = random_tensor({float32, {3, 4, 5}});
  const auto inner = [](const Tensor& rows) {
    const Tensor first = reduce_max(rows);
    return vectorized_map([&](const Tensor& row) { return cumsum(row) * first; }, rows);
  };
  expect_equal(
      vectorized_map(inner, x),
      to_array(cumsum(x, {.axis = 2}) * reshape(reduce_max(x, {.axis = {1, 2}}), {3, 1, 1})),
      float32, {.relative = 1e-5});
}

TEST(VectorizedMap, HasGradients) {
  Variable w(random_tensor({float64, {3}}));
  const Tensor x = random_tensor({float64, {4, 3}});
  const auto f = [&](const Tensor& row) { return alula::exp(reduce_sum(row * w)); };
  std::vector<Tensor> gradients[2];
  for (int i : {0, 1}) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = i == 0 ? vectorized_map(f, x) : loop(f, x);
    gradients[i] = tape.gradient(reduce_sum(y), {x, w});
  }
  for (size_t k : {0u, 1u}) expect_equal(gradients[0][k], to_array(gradients[1][k]), float64);

  // Gradients of each element: a tape inside.
  const auto slope = [&](const Tensor& row) {
    GradientTape tape;
    tape.watch(row);
    return tape.gradient(f(row), row);
  };
  expect_equal(vectorized_map(slope, x), to_array(gradients[1][0]), float64);
}

TEST(VectorizedMap, ReportsMistakes) {
  const auto f = [](const Tensor& x) { return x; };
  const auto g = [](const Tensor& x, const Tensor& y) { return x + y; };
  EXPECT_ERROR(vectorized_map(f, Tensor(3.f)), InvalidArgumentError,
               "vectorized_map: a scalar has no elements. Got float32[]");
  EXPECT_ERROR(vectorized_map(g, zeros({3}), zeros({2})), InvalidArgumentError,
               "vectorized_map: the numbers of elements differ, 3 and 2");
  EXPECT_ERROR(
      vectorized_map([](const std::vector<Tensor>& in) { return in; }, std::vector<Tensor>()),
      InvalidArgumentError, "there is no tensor");
  EXPECT_ERROR(vectorized_map(f, Tensor()), InvalidArgumentError, "a tensor is not defined yet");
  Variable v(Tensor{1.f}, {.name = "v"});
  const auto assigns = [&](const Tensor& x) {
    v.assign_add(x);
    return x;
  };
  EXPECT_ERROR(vectorized_map(assigns, zeros({2, 1})), InvalidArgumentError,
               "the function assigns to the variable 'v'");
  expect_equal(v, {{1}, {1}}, float32);
  // The shape is that of one element, in what the ops complain of, too.
  EXPECT_ERROR(vectorized_map([](const Tensor& x) { return matmul(x, x); }, zeros({4, 2, 3})),
               InvalidArgumentError, "Got a float32[2,3], b float32[2,3]");
}

TEST(BatchGraph, MakesAGraph) {
  using namespace graph;
  const Graph one = trace(
      [](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{matmul(in[0], in[1]), alula::exp(in[1])};
      },
      std::vector<Spec>{{float32, {2, 3}}, {float32, {3, 4}}});
  const Graph many = batch_graph(one, {true, false}, 5);
  const Tensor a = random_tensor({float32, {5, 2, 3}}), b = random_tensor({float32, {3, 4}});
  EXPECT_EQ(many.spec(many.outputs[0]), (Spec{float32, {5, 2, 4}}));
  EXPECT_EQ(many.spec(many.outputs[1]), (Spec{float32, {5, 3, 4}}));

  const std::vector<BatchedInput> inputs = {{a, true}, {b, false}};
  const std::vector<Tensor> results = run_batched(one, inputs, 5);
  expect_equal(results[0], to_array(matmul(a, b)), float32, {.relative = 1e-5});
  expect_equal(results[1], to_array(broadcast_to(alula::exp(b), {5, 3, 4})), float32);

  EXPECT_ERROR(batch_graph(one, {true}, 5), InvalidArgumentError, "takes 2 inputs. Got 1");
  EXPECT_ERROR(run_batched(one, std::span(inputs).first(1), 5), InvalidArgumentError,
               "takes 2 inputs. Got 1");
  EXPECT_ERROR(run_batched(one, inputs, 4), InvalidArgumentError,
               "input 0 must be float32[4,2,3]. Got float32[5,2,3]");
  EXPECT_ERROR(run_batched(one, inputs, -1), InvalidArgumentError, "cannot be negative");
}

/// Each call of many draws what it would draw alone, behind those before it.
TEST(VectorizedMap, DrawsWhatEachCallWouldDrawAlone) {
  const auto draw = [](const Tensor& x) {
    return std::vector<Tensor>{random::uniform({3}) + x,
                               random::normal({5}),
                               random::truncated_normal({2, 2}, {.dtype = float64}),
                               random::bernoulli({7}, {.dtype = int32}),
                               random::uniform({}, {.maxval = 100, .dtype = int64, .seed = 4}),
                               random::shuffle(range(9)),
                               random::shuffle(Tensor{"a", "b", "c"})};
  };
  const Tensor x = {1.f, 2.f, 3.f, 4.f};
  const random::ElementScope::Keys keys{.unseeded = 8, .seeded = 9};
  std::vector<Tensor> together;
  {
    const random::ElementScope scope(keys, 10, 4);
    together = vectorized_map(draw, x);
  }
  for (int64_t i = 0; i < 4; ++i) {
    const random::ElementScope scope(keys, static_cast<uint64_t>(10 + i));
    const std::vector<Tensor> alone = draw(x.rows(i, i + 1));
    for (size_t k = 0; k < alone.size(); ++k)
      EXPECT_EQ(together[k].rows(i, i + 1).reshaped(alone[k].shape()).str(), alone[k].str())
          << "result " << k << " of call " << i;
  }
}
