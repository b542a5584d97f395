#include "core/simulation/clock.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::simulation {
namespace {

TEST(Clock, RunsOnlyWhileItPlays) {
  Clock clock;
  clock.set_rate(3);
  clock.advance(10);
  EXPECT_EQ(clock.time(), 0);
  clock.play();
  clock.advance(2);
  EXPECT_EQ(clock.time(), 6);
  clock.pause();
  clock.advance(2);
  EXPECT_EQ(clock.time(), 6);
}

TEST(Clock, SpeedAndDirection) {
  Clock clock;
  clock.set_time(100);
  clock.play();
  clock.set_speed(0.25);
  clock.advance(8);
  EXPECT_EQ(clock.time(), 102);
  clock.set_reversed(true);
  clock.set_speed(4);
  clock.advance(0.5);
  EXPECT_EQ(clock.time(), 100);
}

TEST(Clock, StopsAtTheEndItRunsToAndBeginsAtTheOther) {
  Clock clock;
  clock.set_range(Clock::Range{100, 300});
  EXPECT_EQ(clock.time(), 100);
  clock.play();
  clock.advance(150);
  EXPECT_DOUBLE_EQ(clock.fraction(), 0.75);
  EXPECT_TRUE(clock.playing());
  clock.advance(60);
  EXPECT_EQ(clock.time(), 300);
  EXPECT_FALSE(clock.playing());
  clock.play();
  EXPECT_EQ(clock.time(), 100);
  clock.pause();
  clock.set_reversed(true);
  clock.play();
  EXPECT_EQ(clock.time(), 300);
  clock.advance(1000);
  EXPECT_EQ(clock.time(), 100);
  EXPECT_FALSE(clock.playing());
}

TEST(Clock, ALoopComesInAgainAtTheOtherEnd) {
  Clock clock;
  clock.set_range(Clock::Range{-1, 3});
  clock.set_at_end(Clock::AtEnd::loop);
  clock.play();
  clock.set_time(2.5);
  clock.advance(1);
  EXPECT_EQ(clock.time(), -0.5);
  clock.set_reversed(true);
  clock.advance(1);
  EXPECT_EQ(clock.time(), 2.5);
  clock.advance(8);
  EXPECT_EQ(clock.time(), 2.5) << "twice around";
  EXPECT_TRUE(clock.playing());
  clock.set_time(3);
  EXPECT_EQ(clock.time(), 3) << "its end can be looked at";
}

TEST(Clock, RunsWithoutEnd) {
  Clock clock;
  clock.set_range(Clock::Range{0, 1});
  clock.set_range(std::nullopt);
  clock.play();
  for (int i = 0; i < 1000; ++i) clock.advance(1000);
  EXPECT_EQ(clock.time(), 1e6);
  EXPECT_TRUE(clock.playing());
  EXPECT_EQ(clock.fraction(), 0);
}

TEST(Clock, ARangeOfOneMomentNeitherRunsNorDivides) {
  Clock clock;
  clock.set_range(Clock::Range{2, 2});
  for (const auto at_end : {Clock::AtEnd::stop, Clock::AtEnd::loop}) {
    clock.set_at_end(at_end);
    clock.play();
    clock.advance(5);
    EXPECT_EQ(clock.time(), 2);
    EXPECT_EQ(clock.fraction(), 0);
  }
}

TEST(Clock, RefusesWhatIsNoTime) {
  Clock clock;
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_THROW(clock.set_rate(bad), Error) << bad;
    EXPECT_THROW(clock.set_speed(bad), Error) << bad;
  }
  EXPECT_THROW(clock.set_time(nan), Error);
  EXPECT_THROW(clock.set_range(Clock::Range{3, 2}), Error);
  EXPECT_THROW(clock.set_range(Clock::Range{0, infinity}), Error);
  EXPECT_EQ(clock.time(), 0);
  EXPECT_FALSE(clock.range());
}

}  // namespace
}  // namespace isolume::simulation
