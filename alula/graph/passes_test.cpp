#include "alula/graph/passes.h"

#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

TEST(Passes, CanBeLeftOut) {
  const auto f = [](const Tensor& x) { return relu(x + 1) * 2; };
  const auto all = function(f), none = function(f, {.without = {"all"}}),
             unfused = function(f, {.without = {"fuse_elementwise"}});
  const Tensor x{-3.F, 0.5F};
  const auto calls = [&](const auto& compiled) {
    size_t count = 0;
    for (const Node& node : compiled.get_concrete_function(x).nodes)
      count += node.kind == Node::Kind::kOp ? 1 : 0;
    return count;
  };
  EXPECT_EQ(calls(all), 1);
  EXPECT_EQ(calls(none), 3);
  EXPECT_EQ(calls(unfused), 3);
  for (const auto& compiled : {all, none, unfused})
    EXPECT_EQ(compiled(x).template to_vector<float>(), (std::vector<float>{0, 3}));
}

TEST(Passes, HaveNamesOfTheirOwn) {
  const std::vector<std::string> names = pass_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_ERROR(function([](const Tensor& x) { return x; }, {.without = {"fusoin"}})(Tensor(1)),
               NotFoundError, "there is no pass 'fusoin'. There are dead_code,");
}

TEST(Passes, EachCanBeLeftOut) {
  for (const std::string& name : pass_names()) {
    const Tensor x{-3.F, 0.5F, 2.F};
    const auto f = [](const Tensor& x) {
      return reduce_sum(relu(x + 1) * 2 + alula::exp(x)) * zeros_like(x) + x;
    };
    EXPECT_EQ(function(f, {.without = {name}})(x).to_vector<float>(), f(x).to_vector<float>())
        << name;
  }
}
