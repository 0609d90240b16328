#include "alula/autograd/tape.h"

#include <optional>
#include <thread>

#include "alula/core/log.h"
#include "alula/ops/cast.h"
#include "alula/ops/exp.h"
#include "alula/ops/matmul.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_ops.h"

using namespace alula;
using namespace alula::testing;

namespace {

float cube_slope(float x) { return 3 * x * x; }

Tensor cube(const Tensor& x) { return x * x * x; }

}  // namespace

TEST(GradientTape, OfAProduct) {
  const Variable a(Tensor{{1.f, 2.f}, {3.f, 4.f}}), b(Tensor{{5.f, 6.f}, {7.f, 8.f}});
  GradientTape tape;
  const Tensor c = matmul(a, b);
  const std::vector<Tensor> gradients = tape.gradient(c, {a, b});
  expect_equal(gradients[0], {{2, 2}, {11, 15, 11, 15}}, float32);
  expect_equal(gradients[1], {{2, 2}, {4, 4, 6, 6}}, float32);
}

TEST(GradientTape, AddsUpAllWays) {
  const Variable x(Tensor(3.f));
  GradientTape tape;
  const Tensor a = x.value() * 2, b = a * x.value(), c = a + b + x.value();
  EXPECT_EQ(tape.gradient(c, x).item<float>(), 15);  // 2 + 4 x + 1
}

TEST(GradientTape, IsUsedOnceUnlessPersistent) {
  const Variable x(Tensor(3.f));
  GradientTape once;
  const Tensor y = cube(x);
  EXPECT_EQ(once.gradient(y, x).item<float>(), cube_slope(3));
  EXPECT_ERROR(once.gradient(y, x), FailedPreconditionError, "Make it persistent");

  GradientTape tape({.persistent = true});
  const Tensor z = cube(x), w = z * z;
  EXPECT_EQ(tape.gradient(z, x).item<float>(), 27);
  EXPECT_EQ(tape.gradient(z, x).item<float>(), 27);
  EXPECT_EQ(tape.gradient(w, x).item<float>(), 6 * 243);
  EXPECT_EQ(tape.gradient(w, z).item<float>(), 54);
  const Tensor later = z + x.value();  // it goes on recording
  EXPECT_EQ(tape.gradient(later, x).item<float>(), 28);
}

TEST(GradientTape, NestsToHigherOrders) {
  const Variable x(Tensor(2.f));
  GradientTape third;
  Tensor dy, ddy;
  {
    GradientTape second;
    {
      GradientTape first;
      const Tensor y = cube(x) * x.value();
      dy = first.gradient(y, x);
    }
    ddy = second.gradient(dy, x);
  }
  EXPECT_EQ(dy.item<float>(), 4 * 8);
  EXPECT_EQ(ddy.item<float>(), 12 * 4);
  EXPECT_EQ(third.gradient(ddy, x).item<float>(), 24 * 2);
}

TEST(GradientTape, RecordsItsOwnGradientIfPersistent) {
  const Variable x(Tensor(2.f));
  GradientTape tape({.persistent = true});
  const Tensor dy = tape.gradient(cube(x), x);
  EXPECT_EQ(tape.gradient(dy, x).item<float>(), 12);
}

TEST(GradientTape, WatchesTensors) {
  const Tensor x(3.f), other(5.f);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = x * other;
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 5);
  EXPECT_FALSE(tape.gradient(y, other).defined());
  const std::vector<Tensor> both = tape.gradient(y, std::vector<Tensor>{x, other});
  EXPECT_TRUE(both[0].defined() && !both[1].defined());
  EXPECT_FALSE(tape.gradient(other, other).defined());
  tape.watch(other);  // from here on
  EXPECT_FALSE(tape.gradient(y, other).defined());
  EXPECT_EQ(tape.gradient(x * other, other).item<float>(), 3);
}

TEST(GradientTape, IsNoneOrZeroWhereNothingLeads) {
  const Variable x(Tensor{1.f, 2.f}), apart(Tensor{1.f, 2.f, 3.f}), unread(Tensor(1.f));
  GradientTape tape({.persistent = true});
  const Tensor y = x.value() * 2, z = apart.value() * 2, c = Tensor{1.f} * 2;
  EXPECT_FALSE(tape.gradient(y, apart).defined());
  EXPECT_FALSE(tape.gradient(y, unread).defined());
  EXPECT_FALSE(tape.gradient(c, x).defined());
  const GradientOptions zero{.unconnected_gradients = UnconnectedGradients::kZero};
  expect_equal(tape.gradient(y, apart, zero), {{3}, {0, 0, 0}}, float32);
  expect_equal(tape.gradient(y, z, zero), {{3}, {0, 0, 0}}, float32);
  expect_equal(tape.gradient(y, x, zero), {{2}, {2, 2}}, float32);
}

TEST(GradientTape, StartsFromOutputGradients) {
  const Variable x(Tensor{1.f, 2.f});
  GradientTape tape({.persistent = true});
  const Tensor y = x.value() * x.value();
  expect_equal(tape.gradient(y, x, {.output_gradients = Tensor{10.f, 100.f}}), {{2}, {20, 400}},
               float32);
  EXPECT_ERROR(tape.gradient(y, x, {.output_gradients = Tensor(1.f)}), InvalidArgumentError,
               "must be like the target, float32[2]");
}

TEST(GradientTape, LeavesOutVariablesThatAreNotTrained) {
  const Variable x(Tensor(3.f)), frozen(Tensor(5.f), {.trainable = false});
  GradientTape tape({.persistent = true});
  const Tensor y = x.value() * frozen.value();
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 5);
  EXPECT_FALSE(tape.gradient(y, frozen).defined());
  tape.watch(frozen);
  EXPECT_EQ(tape.gradient(x.value() * frozen.value(), frozen).item<float>(), 3);
}

TEST(GradientTape, WatchesOnlyWhatItIsTold) {
  const Variable a(Tensor(3.f)), b(Tensor(5.f));
  GradientTape tape({.persistent = true, .watch_accessed_variables = false});
  tape.watch(a);
  const Tensor y = a.value() * b.value();
  EXPECT_EQ(tape.gradient(y, a).item<float>(), 5);
  EXPECT_FALSE(tape.gradient(y, b).defined());
  ASSERT_EQ(tape.watched_variables().size(), 1u);
  EXPECT_TRUE(tape.watched_variables()[0].same_as(a));
}

TEST(GradientTape, ListsVariablesInTheOrderOfTheirFirstRead) {
  const Variable a(Tensor(1.f)), b(Tensor(2.f)), count(Tensor(3), {}),
      frozen(Tensor(4.f), {.trainable = false});
  GradientTape tape;
  b.value(), frozen.value(), count.value(), a.value(), b.value();
  const std::vector<Variable> watched = tape.watched_variables();
  ASSERT_EQ(watched.size(), 2u);  // integers have no gradient
  EXPECT_TRUE(watched[0].same_as(b) && watched[1].same_as(a));
}

TEST(GradientTape, OfAVariableReadTwiceAndAssignedBetween) {
  Variable x(Tensor(2.f));
  GradientTape tape;
  const Tensor y = x.value() * x.value();
  x.assign(Tensor(5.f));
  const Tensor z = y + x.value() * 3;
  EXPECT_EQ(tape.gradient(z, x).item<float>(), 7);  // 2 * 2 + 3
}

TEST(GradientTape, DoesNotRecordWhilePaused) {
  const Variable x(Tensor(3.f));
  GradientTape tape;
  Tensor constant;
  {
    const auto pause = tape.stop_recording();
    const auto again = tape.stop_recording();
    constant = cube(x);
  }
  EXPECT_EQ(tape.gradient(constant * x.value(), x).item<float>(), 27);
}

TEST(GradientTape, ForgetsOnReset) {
  const Variable x(Tensor(3.f));
  GradientTape tape({.persistent = true});
  const Tensor y = cube(x);
  tape.reset();
  EXPECT_TRUE(tape.watched_variables().empty());
  EXPECT_FALSE(tape.gradient(y, x).defined());
  EXPECT_EQ(tape.gradient(cube(x), x).item<float>(), 27);
}

TEST(GradientTape, TakesFloatingTypesOnly) {
  std::string said;
  const auto before =
      logging::set_handler([&](logging::Level, std::string_view text) { said = text; });
  const Tensor count(3), x(2.f);
  GradientTape tape({.persistent = true});
  tape.watch(count);
  logging::set_handler(before);
  EXPECT_NE(said.find("only floating types can be differentiated. Got int32[]"), std::string::npos);
  tape.watch(x);
  const Tensor y = x * cast(count, float32), rounded = cast(x, int32);
  EXPECT_FALSE(tape.gradient(y, count).defined());
  EXPECT_FALSE(tape.gradient(cast(rounded, float32), x).defined());  // integers carry none on
  EXPECT_ERROR(tape.gradient(rounded, x), InvalidArgumentError,
               "the target must be of a floating type. Got int32[]");
  EXPECT_ERROR(tape.gradient(Tensor(), x), InvalidArgumentError, "is not defined yet");
  EXPECT_ERROR(tape.gradient(x, Variable()), InvalidArgumentError, "a source is not defined yet");
}

TEST(GradientTape, SaysWhichOpHasNoGradient) {
  const Variable x(Tensor{1.f, 2.f});
  GradientTape tape;
  const Tensor y = call(AddNumber(), x.value());
  EXPECT_ERROR(tape.gradient(y, x), UnimplementedError, "add_number: its gradient is not known");
}

TEST(GradientTape, IsOfItsThread) {
  const Variable x(Tensor(3.f));
  const auto slope = [&](float factor) {
    float result = 0;
    for (int i = 0; i < 200; ++i) {
      GradientTape tape;
      const Tensor y = cube(x) * factor;
      result = tape.gradient(y, x).item<float>();
    }
    return result;
  };
  GradientTape mine;
  const Tensor y = cube(x);
  float a = 0, b = 0;
  std::thread first([&] { a = slope(2); }), second([&] { b = slope(10); });
  first.join();
  second.join();
  EXPECT_EQ(a, 54);
  EXPECT_EQ(b, 270);
  EXPECT_EQ(mine.gradient(y, x).item<float>(), 27);
}

TEST(GradientTape, CrossesDevices) {
  test_devices();
  const Device sim = "/SIM:0";
  const Variable x(Tensor{1.f, 2.f}), there(Tensor{3.f, 4.f}.to(sim));
  GradientTape tape;
  const Tensor moved = x.value().to(sim), y = (moved * there.value()).to(kCPU) * x.value();
  EXPECT_EQ(moved.device(), sim);
  const std::vector<Tensor> gradients = tape.gradient(y, {x, there});
  EXPECT_EQ(gradients[0].device(), kCPU);
  expect_equal(gradients[0], {{2}, {6, 16}}, float32);
  EXPECT_EQ(gradients[1].device(), sim);
  expect_equal(gradients[1], {{2}, {1, 4}}, float32);
}

TEST(GradientTape, OfWhatLiesBetweenAndOfTheTargetItself) {
  const Variable x(Tensor{1.f, 2.f});
  GradientTape tape({.persistent = true});
  const Tensor between = x.value() * 3, y = between * between;
  expect_equal(tape.gradient(y, between), {{2}, {6, 12}}, float32);
  expect_equal(tape.gradient(y, y), {{2}, {1, 1}}, float32);
  const std::vector<Tensor> all = tape.gradient(y, {y, between, x});
  expect_equal(all[0], {{2}, {1, 1}}, float32);
  expect_equal(all[1], {{2}, {6, 12}}, float32);
  expect_equal(all[2], {{2}, {18, 36}}, float32);
}

TEST(GradientTape, MayBeDroppedAndEndedInAnyOrder) {
  const Variable x(Tensor(3.f));
  {
    GradientTape unused;
  }
  std::optional<GradientTape> first, second;
  first.emplace();
  const Tensor y = cube(x);
  second.emplace();
  const Tensor z = cube(x);
  const Tensor dy = first->gradient(y, x);  // the inner one goes on
  first.reset();
  const Tensor w = z * x.value();
  EXPECT_EQ(dy.item<float>(), 27);
  EXPECT_EQ(second->gradient(w, x).item<float>(), 4 * 27);
  second.reset();
  EXPECT_EQ(t_state.listener, nullptr);
  EXPECT_EQ(t_state.flags, 0u);
}

TEST(GradientTape, GivesTheGradientOfASumOfTargets) {
  const Variable x(Tensor(3.f));
  GradientTape tape({.persistent = true});
  const Tensor targets[] = {cube(x), x.value() * 2};
  const GradientSource sources[] = {x};
  EXPECT_EQ(tape.gradient(targets, sources, {}, UnconnectedGradients::kNone)[0].item<float>(), 29);
  const Tensor seeds[] = {Tensor(10.f), Tensor()};
  EXPECT_EQ(tape.gradient(targets, sources, seeds, UnconnectedGradients::kNone)[0].item<float>(),
            272);
  EXPECT_ERROR(tape.gradient(targets, sources, {seeds, 1}, UnconnectedGradients::kNone),
               InvalidArgumentError, "there are 1 output_gradients for 2 targets");
}

TEST(GradientTape, StopsAndResumes) {
  const Variable x(Tensor(3.f));
  GradientTape tape({.persistent = true});
  const Tensor y = cube(x);
  tape.stop();
  EXPECT_FALSE(tape.is_recording());
  EXPECT_EQ(t_state.flags, 0u);
  const Tensor unheard = y * y;
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 27);
  EXPECT_FALSE(tape.gradient(unheard, x).defined());
  tape.resume();
  const Tensor z = y * 2;
  EXPECT_EQ(tape.gradient(z, x).item<float>(), 54);
}

TEST(GradientTape, MayEndInAnotherThread) {
  auto tape = std::make_unique<GradientTape>();
  std::thread([&] { tape.reset(); }).join();
  const Variable x(Tensor(3.f));
  GradientTape other;
  EXPECT_EQ(other.gradient(cube(x), x).item<float>(), 27);
}
