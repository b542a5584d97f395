#include "core/simulation/player.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "tests/core/simulation/mixing_simulation.h"

namespace isolume::simulation {
namespace {

using testing::expected;
using testing::expected_before_start;
using testing::Mixing;
using testing::numbers_of;
using testing::Watch;

/// Draws without time going by until that step is shown.
void draw_until(Player& player, std::int64_t step) {
  while (!player.tick(0) || player.shown()->step != step) std::this_thread::yield();
}

TEST(Player, ShowsTheStartAndNothingMoves) {
  const auto watch = std::make_shared<Watch>();
  Runner runner(std::make_unique<Mixing>(watch));
  Player player(runner);
  draw_until(player, 0);
  for (int i = 0; i < 20; ++i) player.tick(1);
  EXPECT_EQ(player.shown()->step, 0);
  EXPECT_EQ(watch->steps, 0);
}

TEST(Player, EveryFrameShownIsThatOfItsStep) {
  RunnerOptions options;
  options.last_step = 200;
  options.frame_slots = 6;
  options.checkpoint_spacing = 9;
  Runner runner(std::make_unique<Mixing>(), options);
  Player player(runner, 1);
  player.play();
  std::int64_t before = 0;
  while (player.playing()) {
    if (const FramePointer frame = player.tick(0.7)) {
      ASSERT_GE(frame->step, before);
      before = frame->step;
      ASSERT_EQ(numbers_of(frame), expected(frame->step));
    }
  }
  EXPECT_EQ(player.clock().time(), 200) << "it stops at the last step";
  draw_until(player, 200);
  EXPECT_TRUE(player.live());

  player.set_reversed(true);
  player.play();
  before = 200;
  while (player.clock().time() > -50) {
    const FramePointer frame = player.tick(0.7);
    ASSERT_LE(frame->step, before);
    ASSERT_GE(frame->step, before - 2) << "no frame is left out on the way back";
    before = frame->step;
    ASSERT_EQ(numbers_of(frame), before < 0 ? expected_before_start(before) : expected(before)) << before;
  }
}

TEST(Player, StopsAtTheStartOfWhatDoesNotRunBackwards) {
  Runner runner(std::make_unique<Mixing>(std::make_shared<Watch>(), false));
  runner.go_to(5).get();
  Player player(runner);
  player.scrub(runner.recorded().last);
  draw_until(player, 5);
  player.set_reversed(true);
  player.play();
  while (player.playing()) player.tick(0.01);
  draw_until(player, 0);
  EXPECT_EQ(runner.recorded().first, 0);
}

TEST(Player, MakesUpForTimeInWhichFramesWereAwaited) {
  Runner runner(std::make_unique<Mixing>());
  Player player(runner, 10);
  draw_until(player, 0);
  player.play();
  player.tick(3);  // nothing but the start is there yet
  EXPECT_EQ(player.clock().time(), 0);
  while (runner.recorded().last < 4) std::this_thread::yield();
  player.tick(0.1);
  EXPECT_NEAR(player.clock().time(), 3.5, 1e-9) << "by a quarter of a second at most";
  draw_until(player, 3);
  while (runner.recorded().last < 7) std::this_thread::yield();
  player.tick(0.1);
  EXPECT_NEAR(player.clock().time(), 4.5, 1e-9) << "once";

  player.tick(3);
  player.pause();
  player.tick(0.1);
  player.play();
  const double paused_at = player.clock().time();
  draw_until(player, static_cast<std::int64_t>(paused_at));
  while (runner.recorded().last < static_cast<std::int64_t>(paused_at) + 4) std::this_thread::yield();
  player.tick(0.1);
  EXPECT_NEAR(player.clock().time(), paused_at + 1, 1e-9) << "nothing of what a pause interrupted";
}

TEST(Player, StepsByFrames) {
  RunnerOptions options;
  options.steps_per_frame = 5;
  Runner runner(std::make_unique<Mixing>(), options);
  Player player(runner);
  draw_until(player, 0);
  player.step(1);
  draw_until(player, 5);
  player.step(3);
  draw_until(player, 20);
  player.step(-1);
  draw_until(player, 15);
  player.step(-5);
  draw_until(player, -10);
  EXPECT_EQ(numbers_of(player.shown()), expected_before_start(-10));
  EXPECT_FALSE(player.playing());
}

TEST(Player, ScrubsThroughWhatIsRecorded) {
  RunnerOptions options;
  options.frame_slots = 4;
  Runner runner(std::make_unique<Mixing>(), options);
  runner.go_to(300).get();
  Player player(runner);
  for (const std::int64_t step : {250, 3, 77, 300, 299, 0, 150}) {
    player.scrub(step);
    draw_until(player, step);
    EXPECT_EQ(numbers_of(player.shown()), expected(step));
  }
  player.scrub(1000);
  draw_until(player, 300);
  EXPECT_EQ(runner.recorded().last, 300) << "nothing is computed for it";
}

TEST(Player, KeepsTheFrameAndTheClockWhileTheNextOneIsComputed) {
  const auto watch = std::make_shared<Watch>();
  testing::Gate gate;
  watch->before_step = [&](std::int64_t to, const jobs::Progress&) {
    if (to == 4) gate.pass();
  };
  Runner runner(std::make_unique<Mixing>(watch));
  Player player(runner, 1);
  player.play();
  draw_until(player, 0);
  while (player.shown()->step < 3) player.tick(0.5);
  gate.wait_for_somebody();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(player.tick(1)->step, 3);
  EXPECT_TRUE(player.playing());
  gate.open();
  while (player.tick(0)->step == 3) player.tick(1);
  EXPECT_LE(player.shown()->step, 8) << "the time that was waited is not made up for";
}

TEST(Player, ThatIsPatientPlaysAllOfTheTimeHoweverLongItTakes) {
  RunnerOptions options;
  options.last_step = 30;
  Runner runner(std::make_unique<Mixing>(), options);
  Player player(runner, 1);
  player.set_patient(true);
  draw_until(player, 0);
  player.play();
  for (std::int64_t step = 3; step < 40;
       step += 3) {  // further than what is computed ahead, and beyond the end
    player.tick(3);
    while (!player.arrived()) player.tick(0);
    ASSERT_EQ(player.shown()->step, std::min<std::int64_t>(step, 30));
    ASSERT_EQ(numbers_of(player.shown()), expected(player.shown()->step));
  }
  EXPECT_FALSE(player.playing());
}

TEST(Player, ShowsTheNewFrameOfARewoundMoment) {
  Runner runner(std::make_unique<Mixing>());
  runner.go_to(40).get();
  Player player(runner);
  player.scrub(30);
  draw_until(player, 30);
  runner.rewind_to(10).get();
  draw_until(player, 10);
  runner.set_parameter("salt", parameters::Value(std::int64_t{6})).get();
  player.step(20);
  draw_until(player, 30);
  EXPECT_EQ(numbers_of(player.shown()), expected(30, {{10, 6}}));
}

}  // namespace
}  // namespace isolume::simulation
