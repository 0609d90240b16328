#include "alula/keras/pace.h"

#include <gtest/gtest.h>

using alula::keras::Pace;

namespace {

/// Where it settles if a step takes so long, and a launch so much more.
int64_t settled(double step_us, double launch_us) {
  Pace pace;
  for (int i = 0; i < 30; ++i) {
    const auto steps = static_cast<double>(pace.steps());
    const double getting_ready = i % 2 == 0 ? 5000 : 0;
    pace.took(Pace::Duration(launch_us + steps * step_us + getting_ready), pace.steps());
  }
  EXPECT_FALSE(pace.is_looking());
  return pace.steps();
}

}  // namespace

TEST(Pace, PutsAMillisecondOrSoInALaunch) {
  EXPECT_EQ(settled(12, 20), 64);
  EXPECT_EQ(settled(2, 20), 128);
  EXPECT_EQ(settled(50, 20), 16);
  EXPECT_EQ(settled(400, 20), 2);
  EXPECT_EQ(settled(1500, 20), 1);
  EXPECT_EQ(settled(1e5, 20), 1);
}

TEST(Pace, DoesNotLookForEverWhereAnEpochHasFewSteps) {
  Pace pace;
  pace.took(Pace::Duration(10), 1);
  pace.took(Pace::Duration(10), 1);
  EXPECT_GT(pace.steps(), 3);
  for (int i = 0; i < 30; ++i) pace.took(Pace::Duration(10), 3);
  EXPECT_FALSE(pace.is_looking());
}

TEST(Pace, IsNotDecidedByOneRunThatWasHeldUp) {
  Pace pace;
  pace.took(Pace::Duration(5000), 1);
  pace.took(Pace::Duration(5000), 1);
  EXPECT_TRUE(pace.is_looking());
  pace.took(Pace::Duration(10), 1);
  EXPECT_GT(pace.steps(), 1);
}
