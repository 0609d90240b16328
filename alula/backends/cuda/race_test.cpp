#include "alula/backends/cuda/race.h"

#include <gtest/gtest.h>

using alula::cuda::Race;

TEST(Race, GoesEachWayInTurnAndThenTheFastest) {
  Race race(2);
  const double times[] = {9, 5, 3, 4, 8, 7};  // the first way's best is 3, the second's 4
  for (size_t i = 0; i < 6; ++i) {
    ASSERT_FALSE(race.decided());
    ASSERT_TRUE(race.is_timed());
    const size_t way = race.next();
    EXPECT_EQ(way, i % 2);
    race.took(way, times[i]);
  }
  EXPECT_TRUE(race.decided());
  EXPECT_FALSE(race.is_timed());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(race.next(), 0);
}

TEST(Race, GoesOnWhileTimesAreNotKnown) {
  Race race(2);
  for (int i = 0; i < 6; ++i) race.next();
  EXPECT_FALSE(race.is_timed());
  EXPECT_FALSE(race.decided());
  EXPECT_EQ(race.next(), 0);
  for (size_t i = 0; i < 6; ++i) race.took(i % 2, i % 2 == 0 ? 2.0 : 1.0);
  EXPECT_TRUE(race.decided());
  EXPECT_EQ(race.next(), 1);
}

TEST(Race, OfOneWayIsDecided) {
  Race race(1);
  EXPECT_TRUE(race.decided());
  EXPECT_FALSE(race.is_timed());
  EXPECT_EQ(race.next(), 0);
}
