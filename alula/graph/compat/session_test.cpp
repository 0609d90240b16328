#include "alula/graph/compat/session.h"

#include <thread>

#include "alula/graph/compat/v1.h"
#include "alula/ops/all.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

namespace {

/// Each test has a graph of its own.
class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override { v1::reset_default_graph(); }
  void TearDown() override { v1::enable_eager_execution(); }
};

}  // namespace

TEST_F(SessionTest, OpsBuildTheGraphWithinItsScope) {
  const Tensor a = {{1.f, 2.f}, {3.f, 4.f}}, b = {{5.f, 6.f}, {7.f, 8.f}};
  EXPECT_TRUE(v1::executing_eagerly());
  {
    v1::Session session;
    EXPECT_FALSE(v1::executing_eagerly());
    const Tensor c = matmul(a, b);
    EXPECT_TRUE(c.is_symbolic());
    EXPECT_TRUE(zeros({2}).is_symbolic());
    expect_equal(session.run(c), {{2, 2}, {19, 22, 43, 50}}, float32);
    EXPECT_ERROR(c.span<float>(), FailedPreconditionError, "run it in a session");
  }
  EXPECT_TRUE(v1::executing_eagerly());
  EXPECT_FALSE(matmul(a, b).is_symbolic());
}

TEST_F(SessionTest, SeveralFetchesAndTargets) {
  v1::Session session;
  const v1::Variable count(Tensor(0), {.name = "count"});
  session.run(v1::global_variables_initializer());
  const Tensor a = constant(2.f) * constant(3.f), b = a + 1;
  const v1::Operation increment(std::vector{count.assign_add(Tensor(1))});
  const std::vector<Tensor> values = session.run({a, b, a}, {.targets = {increment}});
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].item<float>(), 6);
  EXPECT_EQ(values[1].item<float>(), 7);
  EXPECT_EQ(values[2].item<float>(), 6);
  EXPECT_EQ(session.run(count).item<int32_t>(), 1);
  session.run({a, b, a}, {.targets = {increment}});
  EXPECT_EQ(session.run(count).item<int32_t>(), 2);
  EXPECT_EQ(session.run(std::vector<Tensor>()).size(), 0u);
}

TEST_F(SessionTest, TakesWhatWasMadeEagerly) {
  const Tensor a = {1.f, 2.f};
  alula::Variable v(Tensor{3.f, 4.f}, {.name = "v"});
  v1::Session session;
  EXPECT_TRUE(session.run(a).same_as(a));
  expect_equal(session.run(Tensor(v)), {{2}, {3, 4}}, float32);
  const Tensor sum = a + v;
  expect_equal(session.run(sum), {{2}, {4, 6}}, float32);
  session.run(v1::assign(v, sum));
  expect_equal(session.run(sum), {{2}, {5, 8}}, float32);
}

TEST_F(SessionTest, PlaceholdersTakeAnySizeOfAnUnknownDimension) {
  v1::disable_eager_execution();
  const Tensor x = v1::placeholder(float32, {kUnknown, 2}, {.name = "x"});
  const Tensor mean = reduce_mean(x * x);
  v1::Session session;
  EXPECT_EQ(session.run(mean, {.feed_dict = {{x, Tensor{{1.f, 2.f}}}}}).item<float>(), 2.5f);
  const Tensor three = {{1.f, 2.f}, {3.f, 0.f}, {2.f, 0.f}};
  EXPECT_EQ(session.run(mean, {.feed_dict = {{x, three}}}).item<float>(), 3);
  EXPECT_EQ(session.compiled_count(), 2u);
  session.run(mean, {.feed_dict = {{x, three}}});
  EXPECT_EQ(session.compiled_count(), 2u);
}

TEST_F(SessionTest, SaysWhatIsWrongWithAFeed) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {kUnknown, 2}, {.name = "x"});
  const Tensor y = x + 1;
  EXPECT_ERROR(session.run(y), InvalidArgumentError,
               "the placeholder 'x' needs a value. It is float32[?,2]. Feed it: session.run(…, "
               "{.feed_dict = {{x, value}}})");
  EXPECT_ERROR(session.run(y, {.feed_dict = {{x, Tensor{1.f, 2.f}}}}), InvalidArgumentError,
               "the placeholder 'x' is float32[?,2]. Got float32[2] for it. Use reshape().");
  EXPECT_ERROR(session.run(y, {.feed_dict = {{x, Tensor{{1, 2}}}}}), InvalidArgumentError,
               "Got int32[1,2] for it. Use cast().");
  EXPECT_ERROR(session.run(y, {.feed_dict = {{x, y}}}), InvalidArgumentError,
               "the value fed to the placeholder 'x' is not there yet; run it first.");
  EXPECT_ERROR(session.run(y, {.feed_dict = {{x, Tensor()}}}), InvalidArgumentError,
               "the value fed to the placeholder 'x' is not there.");
  EXPECT_ERROR(session.run(y, {.feed_dict = {{Tensor{1.f}, Tensor{1.f}}}}), InvalidArgumentError,
               "a tensor that has its values cannot be fed");
  EXPECT_ERROR(session.run(y, {.feed_dict = {{Tensor(), Tensor{1.f}}}}), InvalidArgumentError,
               "a key of feed_dict is not defined");
  const Tensor value = {{1.f, 2.f}};
  EXPECT_ERROR(session.run(y, {.feed_dict = {{x, value}, {x, value}}}), InvalidArgumentError,
               "the placeholder 'x' is fed twice");
  EXPECT_ERROR(session.run(Tensor()), InvalidArgumentError, "a tensor to be run is not defined");
  expect_equal(session.run(y, {.feed_dict = {{x, value}}}), {{1, 2}, {2, 3}}, float32);
}

TEST_F(SessionTest, AnyTensorCanBeFed) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {}, {.name = "x"});
  const Tensor middle = x * 2;
  const Tensor y = middle + 1;
  EXPECT_EQ(session.run(y, {.feed_dict = {{middle, Tensor(10.f)}}}).item<float>(), 11);
  EXPECT_EQ(session.run(y, {.feed_dict = {{x, Tensor(10.f)}}}).item<float>(), 21);
  const v1::Variable v = v1::get_variable("v", {.shape = {}});
  EXPECT_EQ(session.run(v + 1, {.feed_dict = {{v, Tensor(1.f)}}}).item<float>(), 2);
  // What is fed but not needed is no error.
  EXPECT_EQ(session.run(y, {.feed_dict = {{middle, Tensor(1.f)}, {x, Tensor(5.f)}}}).item<float>(),
            2);
}

TEST_F(SessionTest, RandomOpsDrawAnewInEveryRun) {
  v1::Session session;
  const Tensor x = random::normal({4});
  const Tensor sum = reduce_sum(x);
  EXPECT_TRUE(x.is_symbolic());
  const std::vector<Tensor> first = session.run({x, sum}), second = session.run({x, sum});
  EXPECT_NE(first[0].to_vector<float>(), second[0].to_vector<float>());
  const std::vector<float> values = second[0].to_vector<float>();
  EXPECT_NEAR(second[1].item<float>(), values[0] + values[1] + values[2] + values[3], 1e-5);
}

TEST_F(SessionTest, RefusesTensorsOfAnotherGraph) {
  const v1::Graph other;
  Tensor c;
  {
    const auto scope = other.as_default();
    c = matmul(Tensor{{1.f}}, Tensor{{2.f}});
    EXPECT_TRUE(v1::get_default_graph().same_as(other));
  }
  v1::Session session;
  EXPECT_ERROR(session.run(c), InvalidArgumentError, "'matmul' belongs to another graph");
  const Tensor here = constant(1.f) + constant(2.f);
  EXPECT_ERROR(session.run(here, {.feed_dict = {{c, Tensor{{1.f}}}}}), InvalidArgumentError,
               "'matmul' belongs to another graph");
  v1::Session right({.graph = other});
  EXPECT_EQ(right.run(c).item<float>(), 2);
}

TEST_F(SessionTest, ASessionThatIsClosedDoesNotRun) {
  v1::Session session;
  const Tensor c = constant(1.f) + constant(1.f);
  session.close();
  EXPECT_ERROR(session.run(c), FailedPreconditionError, "it has been closed");
}

TEST_F(SessionTest, AFailedRunChangesNothing) {
  v1::Session session;
  const v1::Variable v(Tensor(1.f), {.name = "v"});
  session.run(v.initializer());
  const Tensor index = v1::placeholder(int32, {}, {.name = "index"});
  const Tensor picked = gather(Tensor{1.f, 2.f}, index);
  const Tensor changed = v.assign_add(picked);
  EXPECT_ERROR(session.run(changed, {.feed_dict = {{index, Tensor(7)}}}), InvalidArgumentError,
               "gather");
  EXPECT_EQ(session.run(v).item<float>(), 1);
  EXPECT_EQ(session.run(changed, {.feed_dict = {{index, Tensor(1)}}}).item<float>(), 3);
}

TEST_F(SessionTest, RunsOnTheDeviceThatAScopeNames) {
  const std::vector<Device> devices = test_devices();
  for (const Device& wanted : devices) {
    v1::Session session;
    Tensor c;
    v1::Variable v;
    {
      const auto scope = device(wanted);
      c = matmul(Tensor{{1.f, 2.f}}, Tensor{{3.f}, {4.f}}) + 1;
      v = v1::Variable(Tensor(5.f));
    }
    session.run(v1::variables_initializer({v}));
    const Tensor sum = c + v;
    const Tensor value = session.run(sum);
    EXPECT_EQ(value.device(), wanted);
    EXPECT_EQ(value.item<float>(), 17);
    EXPECT_EQ(session.run(v.assign_add(Tensor(1.f))).item<float>(), 6);
    EXPECT_EQ(session.run(v).device(), wanted);
    EXPECT_EQ(session.run(sum).item<float>(), 18);
  }
}

TEST_F(SessionTest, FallsBackWhereADeviceIsMissing) {
  v1::Session session;
  Tensor c;
  {
    const auto scope = device("/GPU:0");
    c = constant(2.f) * constant(4.f);
  }
  EXPECT_EQ(session.run(c).item<float>(), 8);
}

TEST_F(SessionTest, ThreadsRunAtTheSameTime) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {kUnknown});
  const Tensor y = reduce_sum(x * 2);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 1; i <= 50; ++i) {
        const Tensor ones = alula::ones({i % 5 + t + 1});
        if (session.run(y, {.feed_dict = {{x, ones}}}).item<float>() !=
            2 * static_cast<float>(ones.size()))
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SessionTest, RunsLongChains) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {});
  Tensor y = x;
  for (int i = 0; i < 3000; ++i) y = i % 3 == 0 ? reduce_sum(y) : y + x;
  EXPECT_EQ(session.run(y, {.feed_dict = {{x, Tensor(1.f)}}}).item<float>(), 2001);
}

TEST_F(SessionTest, TargetsRunAlthoughNobodyReadsThem) {
  v1::Session session;
  const Tensor index = v1::placeholder(int32, {});
  const v1::Operation check = v1::group(std::vector{gather(Tensor{1.f, 2.f}, index)});
  session.run(check, {.feed_dict = {{index, Tensor(1)}}});
  EXPECT_ERROR(session.run(check, {.feed_dict = {{index, Tensor(5)}}}), InvalidArgumentError,
               "gather");
}
