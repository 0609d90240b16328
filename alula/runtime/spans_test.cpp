#include "alula/runtime/spans.h"

#include <set>
#include <thread>

#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_ops.h"

using namespace alula;
using namespace alula::testing;

namespace {

const Tensor x = {1.f, 2.f, 3.f};

}  // namespace

TEST(Spans, TellWhatRan) {
  const int64_t before = spans::now();
  spans::Recording recording;
  const Tensor y = call(AddNumber(), x);
  call(AddBoth(), x, y);
  call(Flat(), x);  // nothing is computed
  const std::vector<spans::Span> spans = recording.stop();
  const int64_t after = spans::now();
  call(AddNumber(), x);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "add_number");
  EXPECT_EQ(spans[0].device, kCPU);
  EXPECT_EQ(spans[0].read, 12);
  EXPECT_EQ(spans[0].written, 12);
  EXPECT_EQ(spans[1].name, "add_both");
  EXPECT_EQ(spans[1].read, 24);
  EXPECT_LE(before, spans[0].start);
  EXPECT_LE(spans[0].start, spans[0].end);
  EXPECT_LE(spans[0].end, spans[1].start);
  EXPECT_LE(spans[1].end, after);
}

TEST(Spans, AreOfEveryThread) {
  spans::Recording recording;
  call(AddNumber(), x);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) call(AddNumber(), x);
    });
  for (std::thread& thread : threads) thread.join();
  const std::vector<spans::Span> spans = recording.stop();
  EXPECT_EQ(spans.size(), 301u);
  std::set<int> seen;
  for (const spans::Span& span : spans) seen.insert(span.thread);
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Spans, NameTheDeviceThatTheOpRanOn) {
  const Device sim = "/SIM:0";
  test_devices();
  spans::Recording recording;
  const auto scope = device(sim);
  const Tensor y = call(AddNumber(), x);
  Tensor target = y;
  const Tensor* input = &y;
  Tensor* place = &target;
  dispatch_into(AddNumber(), TensorRefs({&input, 1}), {&place, 1});
  const std::vector<spans::Span> spans = recording.stop();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].device, sim);
  EXPECT_EQ(spans[1].device, sim);
}

TEST(Spans, OfAPreparedList) {
  std::vector<Step> steps;
  const Spec spec{float32, {3}};
  steps.push_back({std::make_shared<AddNumber>(1), {{spec, 0, 0}}, {{spec, 1, 0}}});
  steps.push_back({std::make_shared<AddBoth>(), {{spec, 0, 0}, {spec, 1, 0}}, {{spec, 2, 0}}});
  const std::unique_ptr<Executable> list = backend_of(kCPU).prepare(steps);
  float in[3] = {1, 2, 3}, between[3], out[3];
  void* slots[] = {in, between, out};
  spans::Recording recording;
  list->run(slots);
  const std::vector<spans::Span> spans = recording.stop();
  list->run(slots);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "add_number");
  EXPECT_EQ(spans[1].name, "add_both");
  EXPECT_EQ(spans[1].read, 24);
  EXPECT_EQ(out[2], 7);
}

TEST(Spans, OfOneThread) {
  struct Count final : spans::Sink {
    int calls = 0;
    void ran(const Op&, const spans::Measured&) override { ++calls; }
  } count, inner;
  {
    const spans::OfThread listening(count);
    call(AddNumber(), x);
    std::thread([] { call(AddNumber(), x); }).join();
    {
      const spans::OfThread instead(inner);
      call(AddNumber(), x);
    }
    call(AddNumber(), x);
  }
  call(AddNumber(), x);
  EXPECT_EQ(count.calls, 2);
  EXPECT_EQ(inner.calls, 1);
  EXPECT_EQ(t_state.flags, 0u);
}
