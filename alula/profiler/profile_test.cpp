#include "alula/profiler/profile.h"

#include "alula/graph/compat/v1.h"
#include "alula/ops/all.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
using namespace alula::profiler;
namespace v1 = alula::compat::v1;

namespace {

v1::GraphStatistics example() {
  return {.runs = 10,
          .run_nanoseconds = 5'000'000,
          .compilations = 1,
          .compile_nanoseconds = 250'000,
          .ops = {{"", "add", kCPU, 10, 1'000'000, 2048, 1024},
                  {"model/dense/", "matmul", kCPU, 20, 2'000'000, 4 << 20, 1 << 20},
                  {"model/", "relu", kCPU, 10, 500'000, 512, 512},
                  {"model/dense/", "add", "/SIM:0", 10, 500'000, 100, 50}}};
}

}  // namespace

TEST(Profile, IsATableByScope) {
  EXPECT_EQ(Profile(example(), {}).str(),
            "10 runs: 5.00 ms, of which 4.00 ms in ops. Compiled 1 time in 250 us.\n"
            "op          device  calls     time  share      read   written\n"
            "model/                 40  3.00 ms  75.0%  4.00 MiB  1.00 MiB\n"
            "  dense/               30  2.50 ms  62.5%  4.00 MiB  1.00 MiB\n"
            "    matmul  /CPU:0     20  2.00 ms  50.0%  4.00 MiB  1.00 MiB\n"
            "    add     /SIM:0     10   500 us  12.5%     100 B      50 B\n"
            "  relu      /CPU:0     10   500 us  12.5%     512 B     512 B\n"
            "add         /CPU:0     10  1.00 ms  25.0%  2.00 KiB  1.00 KiB\n");
}

TEST(Profile, IsOrderedAndCutDown) {
  const auto names = [](const ProfileOptions& options) {
    std::string text;
    const Profile found(example(), options);
    for (const ProfileRow& row : found.rows()) text += row.name + " ";
    return text;
  };
  EXPECT_EQ(names({.order_by = OrderBy::kName}), "add model/ dense/ add matmul relu ");
  EXPECT_EQ(names({.order_by = OrderBy::kCalls}), "model/ dense/ matmul add relu add ");
  EXPECT_EQ(names({.order_by = OrderBy::kBytes}), "model/ dense/ matmul add relu add ");
  EXPECT_EQ(names({.min_micros = 600}), "model/ dense/ matmul add ");
  EXPECT_EQ(names({.min_bytes = 1025}), "model/ dense/ matmul ");
  EXPECT_EQ(names({.max_depth = 0}), "matmul add relu add ");
  EXPECT_EQ(names({.max_depth = 1}), "model/ matmul relu add add ");
}

TEST(Profile, OfASessionsRuns) {
  const v1::Graph graph;
  EXPECT_EQ(profile_of(graph).str(), "Nothing has run in the sessions of this graph yet.\n");
  {
    v1::Session session({.graph = graph});
    const Tensor a = random::normal({8, 16}), b = random::normal({16, 4});
    Tensor c;
    {
      const auto scope = v1::name_scope("layer");
      c = matmul(a, b);
    }
    for (int i = 0; i < 10; ++i) session.run(c);
    EXPECT_EQ(profile_of(graph).runs(), 10);
  }
  const Profile found = profile_of(graph, {.order_by = OrderBy::kName});
  EXPECT_EQ(found.runs(), 10);
  ASSERT_EQ(found.rows().size(), 3u) << found.str();
  const ProfileRow &layer = found.rows()[0], &matmul = found.rows()[1], &random = found.rows()[2];
  EXPECT_EQ(layer.name, "layer/");
  EXPECT_EQ(matmul.name, "matmul");
  EXPECT_EQ(matmul.depth, 1);
  EXPECT_EQ(matmul.device, "/CPU:0");
  EXPECT_EQ(matmul.count, 10);
  EXPECT_EQ(matmul.read, 10 * (8 * 16 + 16 * 4) * 4);
  EXPECT_EQ(matmul.written, 10 * 8 * 4 * 4);
  EXPECT_GT(matmul.seconds, 0);
  EXPECT_EQ(random.name, "random_normal");
  EXPECT_EQ(random.count, 20);
  EXPECT_NEAR(matmul.share + random.share, 1, 1e-9);
  EXPECT_LE(found.seconds_in_ops(), found.seconds());
}

TEST(Profile, PrintsWhereItIsAskedTo) {
  const v1::Graph graph;
  std::string printed;
  const Profile found =
      profile(graph, {.print_fn = [&](const std::string& text) { printed += text; }});
  EXPECT_EQ(printed, found.str());
}

TEST(Profile, FailedRunsAreNotCounted) {
  const v1::Graph graph;
  v1::Session session({.graph = graph});
  const Tensor index = v1::placeholder(int32, {}), picked = gather(Tensor{1.f, 2.f}, index);
  EXPECT_ERROR(session.run(picked, {.feed_dict = {{index, Tensor(9)}}}), InvalidArgumentError, "");
  EXPECT_EQ(profile_of(graph).runs(), 0);
  session.run(picked, {.feed_dict = {{index, Tensor(1)}}});
  EXPECT_EQ(profile_of(graph).runs(), 1);
}

TEST(Profile, OfOtherDevices) {
  for (Device wanted : test_devices()) {
    const v1::Graph graph;
    v1::Session session({.graph = graph});
    Tensor c;
    {
      const auto scope = device(wanted);
      c = matmul(random::normal({2, 2}), random::normal({2, 2}));
    }
    session.run(c);
    const Profile found = profile_of(graph);
    ASSERT_EQ(found.rows().size(), 2u);
    for (const ProfileRow& row : found.rows()) {
      EXPECT_EQ(row.device, to_string(wanted)) << row.name;
    }
  }
}
