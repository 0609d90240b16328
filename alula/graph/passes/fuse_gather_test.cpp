#include "alula/graph/function.h"
#include "alula/graph/passes.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

using Names = std::vector<std::string>;

/// The ops that a function compiles to, but for views; their values are compared with those of
/// eager calls.
template <class F, class... T>
Names compiled_ops(const F& f, const T&... inputs) {
  const auto compiled = function(f);
  const std::vector<Tensor> got = compiled(inputs...), expected = f(inputs...);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(got[i].spec(), expected[i].spec());
    const auto a = cast(got[i], float64).template to_vector<double>(),
               b = cast(expected[i], float64).template to_vector<double>();
    for (size_t k = 0; k < b.size(); ++k)
      EXPECT_NEAR(a[k], b[k], 1e-5 * (1 + std::abs(b[k]))) << "output " << i;
  }
  Names names;
  for (const Node& node : compiled.get_concrete_function(inputs...).nodes)
    if (node.kind == Node::Kind::kOp && !node.op->type().view) names.emplace_back(node.op->name());
  return names;
}

Tensor some(const Shape& shape) { return random_tensor({float32, shape}); }
Tensor images(const Shape& shape) { return random_tensor({uint8, shape}, {0, 255}); }
const Tensor kAt({4, 0, 4, 2});

}  // namespace

TEST(FuseGather, TakesCastAndScaling) {
  const auto f = [](const Tensor& x, const Tensor& at) {
    return std::vector{cast(gather(x, at), float32) / 255};
  };
  EXPECT_EQ(compiled_ops(f, images({5, 7, 3}), kAt), Names{"gather+cast+div"});
}

TEST(FuseGather, TakesOtherOperandsAndGivesSeveralResults) {
  const auto f = [](const Tensor& x, const Tensor& at, const Tensor& bias, const Tensor& more) {
    const Tensor sum = gather(x, at, {.axis = 1}) * 2 + bias;
    return std::vector{sum > more, sum + more, sum};
  };
  EXPECT_EQ(compiled_ops(f, some({3, 5, 7}), kAt, some({7}), some({3, 4, 7})).size(), 1);
}

TEST(FuseGather, ReadsWhatIsPickedMoreThanOnce) {
  const auto f = [](const Tensor& x, const Tensor& at) {
    const Tensor picked = gather(x, at);
    return std::vector{picked * picked};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 3}), kAt), Names{"gather+mul"});
}

TEST(FuseGather, SeesThroughViews) {
  const auto scaled = [](const Tensor& x, const Tensor& at, const Tensor& more) {
    return std::vector{cast(reshape(gather(x, at), {4, 28}), float32) * more};
  };
  EXPECT_EQ(compiled_ops(scaled, images({5, 7, 4}), kAt, some({4, 28})), Names{"gather+cast+mul"});
  EXPECT_EQ(compiled_ops(scaled, images({5, 7, 4}), kAt, some({1, 1})), Names{"gather+cast+mul"});
  EXPECT_EQ(compiled_ops(scaled, images({5, 7, 4}), kAt, some({28})), Names{"gather+cast+mul"});
  // A row of the one shape is none of the other.
  const auto in_pairs = [](const Tensor& x, const Tensor& at, const Tensor& row) {
    return std::vector{reshape(gather(x, at), {2, 56}) + row};
  };
  EXPECT_EQ(compiled_ops(in_pairs, some({5, 7, 4}), kAt, some({56})), (Names{"gather", "add"}));
  const auto with_row = [](const Tensor& x, const Tensor& at, const Tensor& row) {
    return std::vector{reshape(gather(x, at), {28, 4}) + row};
  };
  EXPECT_EQ(compiled_ops(with_row, some({5, 7, 4}), kAt, some({1, 4})), Names{"gather+add"});
}

TEST(FuseGather, TakesAValueForEachSlice) {
  const auto brighter = [](const Tensor& x, const Tensor& at, const Tensor& by) {
    return std::vector{cast(gather(x, at), float32) / 255 + by};
  };
  const Names fused{"gather+cast+div+add"}, apart{"gather", "cast+div+add"};
  EXPECT_EQ(compiled_ops(brighter, images({5, 7, 3}), kAt, some({4, 1, 1})), fused);
  EXPECT_EQ(compiled_ops(brighter, images({5, 7, 3}), kAt, some({4, 7, 1})), fused);
  EXPECT_EQ(compiled_ops(brighter, images({5, 7, 3}), kAt, some({1, 7, 1})), apart);
  EXPECT_EQ(compiled_ops(brighter, images({5, 7, 3}), kAt, some({7, 1})), apart);
  EXPECT_EQ(compiled_ops(brighter, images({5, 4, 3}), kAt, some({1, 4, 1})), apart);
  EXPECT_EQ(compiled_ops(brighter, images({5, 7, 3}), reshape(kAt, {2, 2}), some({2, 2, 1, 1})),
            fused);
  EXPECT_EQ(compiled_ops(brighter, images({5, 7, 3}), reshape(kAt, {2, 2}), some({2, 1, 1, 1})),
            apart);
  // A row and values for each slice do not go together, nor does another axis.
  const auto both = [](const Tensor& x, const Tensor& at, const Tensor& row, const Tensor& by) {
    return std::vector{gather(x, at) * row + by};
  };
  EXPECT_EQ(compiled_ops(both, some({5, 7, 3}), kAt, some({3}), some({4, 1, 1})),
            (Names{"gather", "mul+add"}));
  EXPECT_EQ(compiled_ops(both, some({5, 7, 3}), kAt, some({4, 7, 3}), some({4, 1, 1})),
            Names{"gather+mul+add"});
  const auto along = [](const Tensor& x, const Tensor& at, const Tensor& by) {
    return std::vector{gather(x, at, {.axis = 1}) + by};
  };
  EXPECT_EQ(compiled_ops(along, some({4, 7, 3}), kAt, some({4, 1, 1})), (Names{"gather", "add"}));
}

TEST(FuseGather, KeepsWhatOthersRead) {
  const auto read_twice = [](const Tensor& x, const Tensor& at) {
    const Tensor picked = gather(x, at);
    return std::vector{relu(picked), cumsum(picked)};
  };
  EXPECT_EQ(compiled_ops(read_twice, some({5, 3}), kAt), (Names{"gather", "relu", "cumsum"}));
  const auto given_out = [](const Tensor& x, const Tensor& at) {
    const Tensor picked = gather(x, at);
    return std::vector{relu(picked), picked};
  };
  EXPECT_EQ(compiled_ops(given_out, some({5, 3}), kAt), (Names{"gather", "relu"}));
  const auto behind_a_view = [](const Tensor& x, const Tensor& at) {
    const Tensor picked = gather(x, at);
    return std::vector{relu(reshape(picked, {3, 4})), picked};
  };
  EXPECT_EQ(compiled_ops(behind_a_view, some({5, 3}), kAt), (Names{"gather", "relu"}));
}

TEST(FuseGather, KeepsWhatIsStretched) {
  const auto f = [](const Tensor& x, const Tensor& at, const Tensor& more) {
    return std::vector{gather(x, at) + more};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 1}), kAt, some({4, 3})), (Names{"gather", "add"}));
  EXPECT_EQ(compiled_ops(f, some({1, 3}), range(1), some({4, 1})), (Names{"gather", "add"}));
}

TEST(FuseGather, TakesOneOfTwo) {
  const auto f = [](const Tensor& x, const Tensor& y, const Tensor& at) {
    return std::vector{gather(x, at) * gather(y, at)};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 3}), some({6, 3}), kAt), (Names{"gather", "gather+mul"}));
}

TEST(FuseGather, LeavesFunctionsToReductionsAndProducts) {
  const auto summed = [](const Tensor& x, const Tensor& at) {
    return std::vector{reduce_max(relu(gather(x, at)), {.axis = 0})};
  };
  EXPECT_EQ(compiled_ops(summed, some({5, 3}), kAt), (Names{"gather", "relu+reduce_max"}));
  const auto multiplied = [](const Tensor& x, const Tensor& at, const Tensor& w) {
    return std::vector{maximum(matmul(gather(x, at), w), gather(x, at))};
  };
  EXPECT_EQ(compiled_ops(multiplied, some({5, 3}), kAt, some({3, 3})),
            (Names{"gather", "matmul+maximum"}));
}

TEST(FuseGather, WritesVariablesInPlace) {
  Variable v(some({4, 3}));
  auto step = function([&](const Tensor& x, const Tensor& at) { v.assign_add(gather(x, at)); });
  const Tensor x = some({5, 3}), expected = v.value() + gather(x, kAt);
  step(x, kAt);
  EXPECT_EQ(v.value().to_vector<float>(), expected.to_vector<float>());
  Names names;
  for (const Node& node : step.get_concrete_function(x, kAt).nodes)
    if (node.kind == Node::Kind::kOp) names.emplace_back(node.op->name());
  EXPECT_EQ(names, (Names{"gather", "add"}));
}

TEST(FuseGather, ReportsIndicesAsGatherDoes) {
  const auto f = function([](const Tensor& x, const Tensor& at) { return relu(gather(x, at)); });
  EXPECT_ERROR(f(some({5, 3}), Tensor({1, 5})), InvalidArgumentError,
               "gather: index 5 is out of range: the axis has 5 elements");
}
