#include "core/simulation/runner.h"

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/simulation/mixing_simulation.h"

namespace isolume::simulation {
namespace {

using parameters::Value;
using testing::expected;
using testing::expected_before_start;
using testing::Mixing;
using testing::numbers_of;
using testing::Watch;

Value salt(std::int64_t value) {
  return value;
}

template <class Result>
std::string error_of(std::future<Result> future) {
  try {
    future.get();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Runner, AnyMomentIsTheSameInWhateverOrderItIsLookedAt) {
  std::mt19937 random(7);
  for (const std::int64_t spacing : {1, 5, 1000}) {
    RunnerOptions options;
    options.checkpoint_spacing = spacing;
    options.frame_slots = 3;
    Runner runner(std::make_unique<Mixing>(), options);
    for (int i = 0; i < 200; ++i) {
      const auto step = static_cast<std::int64_t>(random() % 300) - 100;
      const FramePointer frame = runner.go_to(step).get();
      ASSERT_EQ(frame->step, step);
      ASSERT_EQ(numbers_of(frame), step < 0 ? expected_before_start(step) : expected(step)) << step;
    }
  }
}

TEST(Runner, ChangedParametersActFromWhereTheyWereChangedOn) {
  Runner runner(std::make_unique<Mixing>());
  runner.go_to(10);
  runner.set_parameter("salt", salt(5));
  runner.go_to(10 + 16);  // there is a checkpoint at 16
  runner.set_parameter("salt", salt(7));
  runner.go_to(60).get();
  const std::map<std::int64_t, int> salts{{10, 5}, {26, 7}};
  for (const std::int64_t step : {3, 60, 10, 11, 17, 26, 27, 59, 25, 0}) {
    EXPECT_EQ(numbers_of(runner.go_to(step).get()), expected(step, salts)) << step;
  }
  EXPECT_EQ(runner.parameters().get("salt"), salt(7));
}

TEST(Runner, AChangeAtACheckpointIsInIt) {
  RunnerOptions options;
  options.checkpoint_spacing = 4;
  Runner runner(std::make_unique<Mixing>(), options);
  runner.set_parameter("salt", salt(3));
  runner.go_to(8);
  runner.set_parameter("salt", salt(4));
  runner.set_parameter("salt", salt(5));
  runner.go_to(20).get();
  const std::map<std::int64_t, int> salts{{0, 3}, {8, 5}};
  for (const std::int64_t step : {7, 9, 20, 8, 12, 1}) {
    EXPECT_EQ(numbers_of(runner.go_to(step).get()), expected(step, salts)) << step;
  }
}

TEST(Runner, RefusesParametersThatMakeNoSense) {
  Runner runner(std::make_unique<Mixing>());
  EXPECT_THROW(runner.set_parameter("salt", salt(-1)), Error);
  EXPECT_THROW(runner.set_parameter("pepper", salt(1)), Error);
  EXPECT_EQ(error_of(runner.set_parameter("salt", salt(13))), "A salt of 13 is not possible here.");
  EXPECT_EQ(runner.parameters().get("salt"), salt(0));
  EXPECT_EQ(runner.status().refusal, "A salt of 13 is not possible here.");
  EXPECT_EQ(runner.parameters_epoch(), 1U) << "it is not the value that was set";
  EXPECT_EQ(numbers_of(runner.go_to(5).get()), expected(5));
  runner.set_parameter("salt", salt(2)).get();
  EXPECT_EQ(runner.status().refusal, "");
  EXPECT_EQ(runner.parameters_epoch(), 1U);
}

/// A return to an earlier step brings back its values, but not those that were replaced since.
TEST(Runner, ShowsAValueFromWhenItIsSetOnWhateverIsUnderWay) {
  auto watch = std::make_shared<Watch>();
  std::promise<void> reached, released;
  Runner runner(std::make_unique<Mixing>(watch));
  runner.go_to(4).get();
  runner.set_parameter("salt", salt(3)).get();
  runner.go_to(8).get();
  watch->before_change = [&, release = released.get_future().share()] {
    reached.set_value();
    release.wait();
  };
  auto back = runner.rewind_to(2);
  auto set = runner.set_parameter("salt", salt(7));
  back.get();
  reached.get_future().wait();
  EXPECT_EQ(runner.parameters().get("salt"), salt(7)) << "it has gone back, and the value is on its way";
  released.set_value();
  set.get();
  EXPECT_EQ(runner.parameters().get("salt"), salt(7));
  EXPECT_EQ(numbers_of(runner.go_to(20).get()), expected(20, {{2, 7}}));
}

TEST(Runner, ShowsNoValueThatNeverArrives) {
  auto watch = std::make_shared<Watch>();
  std::promise<void> reached;
  watch->before_step = [&](std::int64_t to, const jobs::Progress& progress) {
    if (to != 5) return;
    reached.set_value();
    while (!progress.cancelled()) std::this_thread::yield();
  };
  Runner runner(std::make_unique<Mixing>(watch));
  auto there = runner.go_to(5);
  auto set = runner.set_parameter("salt", salt(7));
  reached.get_future().wait();
  const auto before = runner.parameters_epoch();
  runner.cancel();
  EXPECT_NE(error_of(std::move(set)), "nothing was thrown");
  EXPECT_EQ(runner.parameters().get("salt"), salt(0));
  EXPECT_NE(runner.parameters_epoch(), before);
}

TEST(Runner, GoesOnFromARecordedMomentAsIfNothingHadFollowed) {
  RunnerOptions options;
  options.checkpoint_spacing = 7;
  Runner runner(std::make_unique<Mixing>(), options);
  runner.go_to(20).get();
  runner.set_parameter("salt", salt(9)).get();
  runner.go_to(50).get();
  const auto epoch = runner.recorded().epoch;
  runner.rewind_to(15).get();
  EXPECT_EQ(runner.recorded().last, 15);
  EXPECT_NE(runner.recorded().epoch, epoch);
  EXPECT_EQ(runner.frame(30), nullptr);
  EXPECT_EQ(runner.parameters().get("salt"), salt(0)) << "the one of that moment";
  runner.set_parameter("salt", salt(2));
  for (const std::int64_t step : {30, 14, 16, 22}) {
    EXPECT_EQ(numbers_of(runner.go_to(step).get()), expected(step, {{15, 2}})) << step;
  }
  EXPECT_THAT(error_of(runner.rewind_to(31)), ::testing::HasSubstr("not recorded. Give one from 0 to 30"));
}

TEST(Runner, AChangeThatIsWithdrawnHasNeverBeenMade) {
  for (const std::int64_t spacing : {1, 4, 1000}) {
    RunnerOptions options;
    options.checkpoint_spacing = spacing;
    Runner runner(std::make_unique<Mixing>(), options);
    runner.go_to(4);
    runner.set_parameter("salt", salt(3));
    runner.go_to(8);
    runner.set_parameter("salt", salt(5));
    runner.go_to(20);
    runner.rewind_to(8, "salt").get();
    EXPECT_EQ(runner.recorded().last, 8);
    EXPECT_EQ(numbers_of(runner.go_to(20).get()), expected(20, {{4, 3}})) << spacing;
    EXPECT_EQ(runner.course().get().changes.size(), 1U);
    EXPECT_EQ(runner.parameters().get("salt"), salt(3));
    // Made again, it is the same run again.
    runner.rewind_to(8, "salt");
    runner.set_parameter("salt", salt(5));
    EXPECT_EQ(numbers_of(runner.go_to(20).get()), expected(20, {{4, 3}, {8, 5}})) << spacing;
  }
}

TEST(Runner, BranchesGoTheirOwnWay) {
  const auto watch = std::make_shared<Watch>();
  {
    Runner one(std::make_unique<Mixing>(watch));
    one.go_to(40).get();
    Runner other(one.branch(17).get());
    other.set_parameter("salt", salt(1));
    auto here = one.go_to(90);
    auto there = other.go_to(90);
    EXPECT_EQ(numbers_of(here.get()), expected(90));
    EXPECT_EQ(numbers_of(there.get()), expected(90, {{17, 1}}));
    EXPECT_EQ(one.parameters().get("salt"), salt(0));
    EXPECT_EQ(numbers_of(one.go_to(20).get()), expected(20));
    EXPECT_EQ(other.recorded().first, 17);
  }
  EXPECT_EQ(watch->alive, 0);
}

TEST(Runner, AStepFromBeforeTheStartBecomesTheStart) {
  Runner runner(std::make_unique<Mixing>());
  runner.go_to(12).get();
  runner.go_to(-20).get();
  EXPECT_EQ(runner.recorded().first, -20);
  EXPECT_EQ(runner.recorded().last, 12);
  runner.rewind_to(-9).get();
  EXPECT_EQ(runner.recorded().first, -9);
  EXPECT_EQ(runner.recorded().last, -9);
  EXPECT_EQ(numbers_of(runner.go_to(12).get()), expected(12));
  EXPECT_EQ(numbers_of(runner.go_to(-15).get()), expected_before_start(-15));
}

TEST(Runner, RefusesStepsThatThereAreNot) {
  RunnerOptions options;
  options.last_step = 30;
  Runner runner(std::make_unique<Mixing>(std::make_shared<Watch>(), false), options);
  EXPECT_THAT(error_of(runner.go_to(31)), ::testing::HasSubstr("Give one up to 30"));
  EXPECT_THAT(error_of(runner.go_to(-1)), ::testing::HasSubstr("does not run backwards"));
  EXPECT_EQ(numbers_of(runner.go_to(30).get()), expected(30));
  options.steps_per_frame = 0;
  EXPECT_THROW(Runner(std::make_unique<Mixing>(), options), Error);
}

TEST(Runner, CheckpointsStayWithinTheirMemory) {
  constexpr std::size_t size = 10000;
  RunnerOptions options;
  options.checkpoint_bytes = 12 * size;
  options.checkpoint_spacing = 2;
  options.frame_bytes = 5 * size;
  Runner runner(std::make_unique<Mixing>(std::make_shared<Watch>(), true, size), options);
  runner.go_to(1000).get();
  runner.cancel();
  runner.go_to(500).get();
  RunnerStatus status = runner.status();
  EXPECT_LE(status.checkpoint_bytes, 2 * options.checkpoint_bytes);
  EXPECT_GT(status.checkpoints, 4u);
  EXPECT_LE(status.frame_bytes, options.frame_bytes);
  EXPECT_GT(status.checkpoint_spacing, 100);
  for (const std::int64_t step : {1, 999, 512, 130}) {
    EXPECT_EQ(numbers_of(runner.go_to(step).get()), expected(step)) << step;
  }
}

TEST(Runner, LooksAtWhatIsDrawnFirstAndThenAhead) {
  const auto watch = std::make_shared<Watch>();
  RunnerOptions options;
  options.steps_per_frame = 10;
  Runner runner(std::make_unique<Mixing>(watch), options);
  std::promise<void> all;
  runner.observe([&, there = false]() mutable {
    if (!there && runner.frame(40)) there = true, all.set_value();
  });
  runner.look(0, 40);
  all.get_future().wait();
  EXPECT_EQ(runner.recorded().last, 40);
  EXPECT_EQ(numbers_of(runner.frame(20)), expected(20));
  EXPECT_EQ(runner.frame(21), nullptr);
  EXPECT_EQ(watch->steps, 40) << "no more than was asked for";
}

TEST(Runner, DrawingDoesNotWaitForAStep) {
  const auto watch = std::make_shared<Watch>();
  testing::Gate gate;
  watch->before_step = [&](std::int64_t to, const jobs::Progress&) {
    if (to == 6) gate.pass();
  };
  Runner runner(std::make_unique<Mixing>(watch));
  runner.go_to(5).get();
  auto later = runner.go_to(10);
  gate.wait_for_somebody();
  // The step stands still for as long as this test likes.
  EXPECT_EQ(numbers_of(runner.frame(5)), expected(5));
  EXPECT_EQ(runner.recorded().last, 5);
  runner.look(3, 20);
  EXPECT_EQ(runner.status().activity, RunnerStatus::Activity::advancing);
  gate.open();
  EXPECT_EQ(numbers_of(later.get()), expected(10));
}

/// Stands in the step to `at` until it is cancelled.
std::shared_ptr<Watch> stuck_at(std::int64_t at, std::promise<void>& reached) {
  auto watch = std::make_shared<Watch>();
  watch->before_step = [at, &reached, told = false](std::int64_t to, const jobs::Progress& progress) mutable {
    if (to != at) return;
    if (!std::exchange(told, true)) reached.set_value();
    while (!progress.cancelled()) std::this_thread::yield();
    progress.check();
  };
  return watch;
}

TEST(Runner, CancelsAtOnceAndCanGoOn) {
  std::promise<void> reached;
  const auto watch = stuck_at(8, reached);
  Runner runner(std::make_unique<Mixing>(watch));
  auto first = runner.go_to(20), second = runner.go_to(3);
  reached.get_future().wait();
  runner.cancel();
  EXPECT_THROW(first.get(), Cancelled);
  EXPECT_THROW(second.get(), Cancelled);
  EXPECT_EQ(numbers_of(runner.go_to(7).get()), expected(7));
  EXPECT_EQ(runner.status().error, "");
}

TEST(Runner, EndsAtOnce) {
  std::promise<void> reached;
  const auto watch = stuck_at(8, reached);
  std::future<FramePointer> future;
  {
    Runner runner(std::make_unique<Mixing>(watch));
    future = runner.go_to(20);
    reached.get_future().wait();
  }
  EXPECT_THROW(future.get(), Cancelled);
  EXPECT_EQ(watch->alive, 0);
}

TEST(Runner, AFaultGoesBackToTheLastCheckpoint) {
  const auto watch = std::make_shared<Watch>();
  watch->before_step = [lost = 0](std::int64_t to, const jobs::Progress&) mutable {
    if (to == 30 && ++lost == 1) throw Error("The device was lost.");
  };
  Runner runner(std::make_unique<Mixing>(watch));
  EXPECT_EQ(numbers_of(runner.go_to(50).get()), expected(50));
  EXPECT_EQ(runner.status().faults, 1u);
  EXPECT_EQ(runner.status().error, "");
  EXPECT_EQ(watch->steps, 50 + 13) << "from the checkpoint at 16";
}

TEST(Runner, StopsWithTheErrorWhereItStaysAndGoesOnWhenTheCauseIsGone) {
  const auto watch = std::make_shared<Watch>();
  std::atomic<bool> broken = true;
  watch->before_step = [&](std::int64_t to, const jobs::Progress&) {
    if (to == 30 && broken) throw Error("Body 7 is nowhere.");
  };
  Runner runner(std::make_unique<Mixing>(watch));
  EXPECT_EQ(error_of(runner.go_to(50)), "Body 7 is nowhere.");
  EXPECT_EQ(runner.status().error, "Body 7 is nowhere.");
  EXPECT_EQ(runner.recorded().last, 29);
  EXPECT_EQ(numbers_of(runner.go_to(12).get()), expected(12)) << "what is recorded can be looked at";
  EXPECT_EQ(error_of(runner.go_to(31)), "Body 7 is nowhere.");
  runner.rewind_to(20).get();
  EXPECT_EQ(runner.status().error, "");
  broken = false;
  runner.resume();
  EXPECT_EQ(numbers_of(runner.go_to(50).get()), expected(50));
}

TEST(Runner, ManyThreadsAskInRandomOrder) {
  RunnerOptions options;
  options.frame_slots = 8;
  options.checkpoint_spacing = 3;
  Runner runner(std::make_unique<Mixing>(), options);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 6; ++seed) {
    threads.emplace_back([&runner, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 150; ++i) {
        const auto step = static_cast<std::int64_t>(random() % 120) - 40;
        switch (random() % 6) {
          case 0:
            runner.look(step, step + 20);
            break;
          case 1:
            if (const FramePointer frame = runner.frame(step)) {
              EXPECT_EQ(numbers_of(frame), step < 0 ? expected_before_start(step) : expected(step));
            }
            break;
          case 2:
            runner.branch(step);
            break;
          case 3:
            if (random() % 10 == 0) runner.cancel();
            runner.status();
            break;
          default:
            try {
              const FramePointer frame = runner.go_to(step).get();
              EXPECT_EQ(numbers_of(frame), step < 0 ? expected_before_start(step) : expected(step));
            } catch (const Cancelled&) {
            }
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(runner.status().error, "");
}

}  // namespace
}  // namespace isolume::simulation
