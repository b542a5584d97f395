#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "core/jobs/activity.h"
#include "core/jobs/job_runner.h"

namespace isolume::jobs {
namespace {

using namespace std::chrono_literals;

/// Everything that observers were told, to be asked afterwards.
class Record {
 public:
  explicit Record(JobRunner& runner) {
    runner.observe([this](const JobStatus& status) {
      const std::scoped_lock lock(mutex_);
      all_.push_back(status);
    });
  }
  std::vector<JobStatus> of(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    std::vector<JobStatus> found;
    for (const auto& each : all_) {
      if (each.id == id) found.push_back(each);
    }
    return found;
  }
  JobState end_of(std::uint64_t id) { return of(id).back().state; }

 private:
  std::mutex mutex_;
  std::vector<JobStatus> all_;
};

void until_cancelled(const Progress& progress) {
  for (;;) {
    progress.check();
    std::this_thread::sleep_for(1ms);
  }
}

TEST(Jobs, RunOffTheCallersThreadAndFinish) {
  JobRunner runner;
  Record record(runner);
  std::thread::id ran_on;
  const auto id = runner.submit("work", "", [&](const Progress&) { ran_on = std::this_thread::get_id(); });
  runner.wait_idle();
  EXPECT_NE(ran_on, std::this_thread::get_id());
  EXPECT_EQ(record.end_of(id), JobState::finished);
  EXPECT_EQ(record.of(id).back().fraction, 1);
}

TEST(Jobs, ProgressReachesObserversStageByStage) {
  JobRunner runner;
  Record record(runner);
  const auto id = runner.submit("work", "", [](const Progress& progress) {
    progress.part(0, 0.5).report(0.5, "reading");
    progress.part(0.5, 1).report(0.5, "checking");
  });
  runner.wait_idle();
  std::vector<std::pair<double, std::string>> seen;
  for (const auto& each : record.of(id)) {
    if (each.state == JobState::running && !each.stage.empty()) seen.emplace_back(each.fraction, each.stage);
  }
  EXPECT_EQ(seen, (std::vector<std::pair<double, std::string>>{{0.25, "reading"}, {0.75, "checking"}}));
}

TEST(Jobs, FailureBecomesAStateWithTheText) {
  JobRunner runner;
  Record record(runner);
  const auto id = runner.submit("work", "", [](const Progress&) { throw Error("a.molden:3: bad."); });
  runner.wait_idle();
  EXPECT_EQ(record.end_of(id), JobState::failed);
  EXPECT_EQ(record.of(id).back().error, "a.molden:3: bad.");
}

TEST(Jobs, CancelStopsARunningJob) {
  JobRunner runner;
  Record record(runner);
  std::promise<void> started;
  const auto id = runner.submit("work", "", [&](const Progress& progress) {
    started.set_value();
    until_cancelled(progress);
  });
  started.get_future().wait();
  runner.cancel(id);
  runner.wait_idle();
  EXPECT_EQ(record.end_of(id), JobState::cancelled);
}

TEST(Jobs, ANewerJobOfTheChannelSupersedesTheOlder) {
  JobRunner runner;
  Record record(runner);
  std::promise<void> started;
  std::atomic<int> running = 0;
  std::atomic<bool> overlapped = false;
  const auto tracked = [&](auto work) {
    return [&, work](const Progress& progress) {
      if (++running > 1) overlapped = true;
      struct Leave {
        std::atomic<int>& count;
        ~Leave() { --count; }
      } leave{running};
      work(progress);
    };
  };
  const auto first = runner.submit("first", "picture", tracked([&](const Progress& progress) {
                                     started.set_value();
                                     until_cancelled(progress);
                                   }));
  started.get_future().wait();
  const auto second = runner.submit("second", "picture", tracked(until_cancelled));
  const auto third = runner.submit("third", "picture", tracked([](const Progress&) {}));
  runner.wait_idle();
  EXPECT_EQ(record.end_of(first), JobState::cancelled);
  EXPECT_EQ(record.end_of(second), JobState::cancelled);
  EXPECT_EQ(record.end_of(third), JobState::finished);
  EXPECT_FALSE(overlapped);
}

TEST(Jobs, DifferentChannelsRunSideBySide) {
  JobRunner runner;
  std::promise<void> first_in;
  std::promise<void> second_in;
  auto first_ready = first_in.get_future();
  auto second_ready = second_in.get_future();
  std::atomic<int> met = 0;
  runner.submit("a", "a", [&](const Progress&) {
    first_in.set_value();
    if (second_ready.wait_for(30s) == std::future_status::ready) ++met;
  });
  runner.submit("b", "b", [&](const Progress&) {
    second_in.set_value();
    if (first_ready.wait_for(30s) == std::future_status::ready) ++met;
  });
  runner.wait_idle();
  EXPECT_EQ(met, 2);
}

TEST(Jobs, DestructionCancelsAndWaits) {
  std::atomic<bool> left = false;
  {
    JobRunner runner;
    std::promise<void> started;
    runner.submit("work", "x", [&](const Progress& progress) {
      started.set_value();
      while (!progress.cancelled()) std::this_thread::sleep_for(1ms);
      left = true;
    });
    started.get_future().wait();
    runner.submit("never starts", "x", [](const Progress&) {});
  }
  EXPECT_TRUE(left);
}

TEST(Jobs, PartsHaveChannelsOfTheirOwnAndTheWholeHearsOfAll) {
  JobRunner runner;
  Record record(runner);
  JobRunner one(runner), other(runner);
  EXPECT_NE(one.part(), other.part());
  const auto first = one.submit("work", "x", until_cancelled);
  const auto second = other.submit("work", "x", until_cancelled);
  EXPECT_EQ(runner.active().size(), 2U);
  ASSERT_EQ(one.active().size(), 1U);
  EXPECT_EQ(one.active()[0].id, first);
  EXPECT_EQ(one.active()[0].part, one.part());
  other.cancel_channel("x");
  other.wait_idle();
  EXPECT_EQ(record.end_of(second), JobState::cancelled);
  EXPECT_EQ(one.active().size(), 1U) << "the same channel of another part";
  runner.cancel_channel("x");
  runner.wait_idle();
  EXPECT_EQ(record.end_of(first), JobState::cancelled);
}

TEST(Jobs, APartThatGoesTakesItsOwnJobsAlong) {
  JobRunner runner;
  Record record(runner);
  std::atomic<bool> goes_on = true;
  runner.submit("work", "x", [&](const Progress&) {
    while (goes_on) std::this_thread::sleep_for(1ms);
  });
  std::uint64_t running = 0, waiting = 0;
  {
    JobRunner part(runner);
    running = part.submit("work", "x", until_cancelled);
    waiting = part.submit("never starts", "x", [](const Progress&) { ADD_FAILURE(); });
  }
  EXPECT_EQ(record.end_of(running), JobState::cancelled);
  EXPECT_EQ(record.end_of(waiting), JobState::cancelled);
  EXPECT_EQ(runner.active().size(), 1U);
  goes_on = false;
  runner.wait_idle();
}

TEST(Jobs, ManyShortJobsFromSeveralThreads) {
  JobRunner runner;
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        for (int i = 0; i < 50; ++i) runner.submit("short", "", [&](const Progress&) { ++done; });
      });
    }
  }
  runner.wait_idle();
  EXPECT_EQ(done, 200);
}

/// A job that runs until it is released.
class Held {
 public:
  JobRunner::Work work() {
    return [this](const Progress&) {
      begun_.set_value();
      released_.get_future().wait();
    };
  }
  void wait_for_begin() { begun_.get_future().wait(); }
  void release() { released_.set_value(); }

 private:
  std::promise<void> begun_, released_;
};

TEST(Jobs, OnlyAWaitingJobIsReplacedBeforeItBegins) {
  JobRunner runner;
  Record record(runner);
  Held held;
  const auto submit = [&](JobRunner::Work work) {
    return runner.submit("work", "x", std::move(work), Waited::by_a_person, Replaced::before_it_begins);
  };
  const auto first = submit(held.work());
  held.wait_for_begin();
  const auto second = submit([](const Progress&) { ADD_FAILURE() << "it was replaced"; });
  bool done = false;
  const auto third = submit([&](const Progress&) { done = true; });
  held.release();
  runner.wait_idle();
  EXPECT_EQ(record.end_of(first), JobState::finished);
  EXPECT_EQ(record.end_of(second), JobState::cancelled);
  EXPECT_EQ(record.end_of(third), JobState::finished);
  EXPECT_TRUE(done);
}

TEST(Jobs, InTurnTheyRunInTheOrderOfSubmissionWhateverTheirChannels) {
  JobRunner runner(Channels::in_turn);
  Held held;
  std::string order;  // of jobs of which one runs at a time
  const auto submit = [&](char name, const char* channel, Replaced replaced) {
    runner.submit(
        "work", channel, [&order, name](const Progress&) { order += name; }, Waited::by_a_person, replaced);
  };
  runner.submit("work", "", held.work());
  held.wait_for_begin();
  submit('a', "x", Replaced::never);
  submit('b', "x", Replaced::before_it_begins);
  submit('c', "y", Replaced::before_it_begins);
  submit('d', "x", Replaced::never);  // replaces b
  submit('e', "y", Replaced::before_it_begins);
  submit('f', "x", Replaced::before_it_begins);
  submit('g', "", Replaced::at_once);
  held.release();
  runner.wait_idle();
  EXPECT_EQ(order, "adefg");
}

/// Makes an activity the present one, and counts how often it ends.
class Waiting {
 public:
  Waiting()
      : scope_(std::make_unique<Activity::Scope>(std::make_shared<Activity>([this](const Outcome& outcome) {
          const std::scoped_lock lock(mutex_);
          ++ends_;
          outcome_ = outcome;
        }))) {}
  void submitted() { scope_.reset(); }
  int ends() const {
    const std::scoped_lock lock(mutex_);
    return ends_;
  }
  Outcome outcome() const {
    const std::scoped_lock lock(mutex_);
    return outcome_;
  }

 private:
  mutable std::mutex mutex_;
  int ends_ = 0;
  Outcome outcome_;
  std::unique_ptr<Activity::Scope> scope_;
};

/// A job runs, a second one waits, and a third one replaces the second.
class ReplacedJobs : public testing::Test {
 protected:
  void submit(JobRunner::Work third) {
    submit(first, [this](const Progress& progress) {
      begun.set_value();
      while (!released && !progress.cancelled()) std::this_thread::yield();
    });
    begun.get_future().wait();
    submit(second, [](const Progress&) { ADD_FAILURE() << "it was replaced"; });
    last = submit(newest, std::move(third));
    EXPECT_EQ(second.ends(), 0) << "it waits for the newest";
  }
  std::uint64_t submit(Waiting& activity, JobRunner::Work work) {
    const auto id =
        runner->submit("work", "x", std::move(work), Waited::by_a_person, Replaced::before_it_begins);
    activity.submitted();
    return id;
  }
  void expect_ends(const std::string& error) {
    runner.reset();
    for (const Waiting* each : {&first, &second, &newest}) EXPECT_EQ(each->ends(), 1);
    EXPECT_EQ(first.outcome().error, "");
    for (const Waiting* each : {&second, &newest}) EXPECT_EQ(each->outcome().error, error);
  }

  std::promise<void> begun;
  std::atomic<bool> released = false;
  // The last one made is the first to leave its scope.
  Waiting newest, second, first;
  std::uint64_t last = 0;
  std::optional<JobRunner> runner{std::in_place};
};

TEST_F(ReplacedJobs, ActivitiesEndWithTheNewest) {
  submit([](const Progress&) { Activity::current()->set_result(7); });
  released = true;
  runner->wait_idle();
  expect_ends("");
  EXPECT_EQ(newest.outcome().result, 7);
  EXPECT_TRUE(second.outcome().result.is_null()) << "it is of another request";
}

TEST_F(ReplacedJobs, ActivitiesFailWithTheNewest) {
  submit([](const Progress&) { throw Error("It does not work."); });
  released = true;
  runner->wait_idle();
  expect_ends("It does not work.");
}

TEST_F(ReplacedJobs, ActivitiesEndWhenTheNewestIsCancelled) {
  submit([](const Progress&) { ADD_FAILURE() << "it was cancelled"; });
  runner->cancel(last);
  EXPECT_EQ(second.ends(), 1);
  EXPECT_EQ(newest.ends(), 1);
  released = true;
  expect_ends("");
}

TEST_F(ReplacedJobs, ActivitiesEndWithTheRunner) {
  submit([](const Progress&) { ADD_FAILURE() << "it never began"; });
  expect_ends("");
}

TEST(Jobs, AnActivityThatJoinsAJobEndsAndFailsWithIt) {
  Held held;
  Waiting second, first;
  JobRunner runner;
  const auto id = runner.submit("work", "x", [&](const Progress& progress) {
    held.work()(progress);
    throw Error("It does not work.");
  });
  first.submitted();
  held.wait_for_begin();
  EXPECT_TRUE(runner.join(id));
  second.submitted();
  EXPECT_EQ(second.ends(), 0);
  held.release();
  runner.wait_idle();
  EXPECT_FALSE(runner.join(id)) << "it has ended";
  while (first.ends() == 0 || second.ends() == 0) std::this_thread::yield();
  EXPECT_EQ(first.outcome().error, "It does not work.");
  EXPECT_EQ(second.outcome().error, "It does not work.");
}

TEST(Jobs, NoActivityJoinsAJobThatIsCancelled) {
  Held held;
  JobRunner runner;
  const auto id = runner.submit("work", "x", held.work());
  held.wait_for_begin();
  runner.cancel(id);
  EXPECT_FALSE(runner.join(id));
  held.release();
}

}  // namespace
}  // namespace isolume::jobs
