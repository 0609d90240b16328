#include "alula/keras/callbacks/learning_rate_scheduler.h"

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;

namespace {

TEST(LearningRateScheduler, SetsTheRateOfEachEpoch) {
  const CapturedOutput printed;
  Sequential model = one_weight();
  LearningRateScheduler halved(
      {.schedule = [](int64_t, double rate) { return rate * 0.5; }, .verbose = 1});
  halved.set_model(model);
  halved.on_epoch_begin(0);
  EXPECT_EQ(learning_rate_of(model), 0.05F);
  EXPECT_EQ(printed.text(),
            "\nEpoch 1: LearningRateScheduler setting learning rate to 0.05000000074505806.\n");
  Logs logs{{"loss", 1}};
  halved.on_epoch_end(0, logs);
  EXPECT_EQ(logs["learning_rate"], 0.05F);
}

TEST(LearningRateScheduler, TakesFunctionsOfTheEpochAlone) {
  Sequential model = one_weight();
  LearningRateScheduler scheduler({.schedule = [](int64_t epoch) { return 1.0 / (1 + epoch); }});
  scheduler.set_model(model);
  scheduler.on_epoch_begin(3);
  EXPECT_EQ(learning_rate_of(model), 0.25);
}

TEST(LearningRateScheduler, Errors) {
  EXPECT_ERROR(LearningRateScheduler({}), InvalidArgumentError, "it needs a schedule");
  LearningRateScheduler wrong({.schedule = [](int64_t, double) { return -1.0; }});
  wrong.set_model(one_weight());
  EXPECT_ERROR(wrong.on_epoch_begin(2), InvalidArgumentError, "Got -1 for epoch 2");
}

}  // namespace
