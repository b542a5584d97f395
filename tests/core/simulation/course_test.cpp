#include "core/simulation/course.h"

#include <thread>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/simulation/runner.h"
#include "tests/core/simulation/mixing_simulation.h"

namespace isolume::simulation {
namespace {

using parameters::Value;
using testing::expected;
using testing::Mixing;
using testing::Numbers;
using testing::numbers_of;

Value salted(std::int64_t value) {
  return value;
}

/// A simulation that begins as the first one did and follows its course.
Runner again(const Course& course, const RunnerOptions& options = {}) {
  auto simulation = std::make_unique<Mixing>();
  simulation->set_parameters(course.start);
  go_to_origin(*simulation, course);
  return Runner(std::move(simulation), options, course);
}

/// Every change has acted where the tests' own arithmetic says.
TEST(Course, IsFollowedFromTheStart) {
  Runner first(std::make_unique<Mixing>());
  first.set_parameter("salt", salted(2));
  first.go_to(10);
  first.set_parameter("salt", salted(5));
  first.set_parameter("salt", salted(6));
  first.go_to(27);
  first.set_parameter("salt", salted(7));
  first.go_to(40).get();
  const Course course = first.course().get();
  EXPECT_EQ(course.start.at("salt"), salted(2));
  EXPECT_TRUE(course.way.empty());
  ASSERT_EQ(course.changes.size(), 3U);
  const std::map<std::int64_t, int> salts{{0, 2}, {10, 6}, {27, 7}};
  for (const std::int64_t spacing : {1, 4, 1000}) {
    RunnerOptions options;
    options.checkpoint_spacing = spacing;
    Runner second = again(course, options);
    EXPECT_EQ(second.parameters().get("salt"), salted(7)) << "which it ends with";
    EXPECT_EQ(second.course().get(), course) << "before it has come there";
    for (const std::int64_t step : {5, 10, 11, 35, 27, 26, 60, 0})
      EXPECT_EQ(numbers_of(second.go_to(step).get()), expected(step, salts)) << step;
    EXPECT_EQ(second.course().get(), course);
  }
}

TEST(Course, IsFollowedWithoutARecord) {
  Course course{.start = {{"salt", salted(2)}},
                .changes = {{4, {{"salt", salted(5)}}}, {4, {{"salt", salted(6)}}}}};
  Mixing simulation;
  simulation.set_parameters(course.start);
  for (const std::int64_t step : {3, 4, 4, 9}) {
    go_on_course(simulation, course, step);
    EXPECT_EQ(numbers_of(simulation.snapshot(everything, {})), expected(step, {{0, 2}, {4, 6}})) << step;
  }
}

TEST(Course, AChangeOfAPersonComesAfterThoseOfTheCourse) {
  Runner first(std::make_unique<Mixing>());
  first.go_to(10);
  first.set_parameter("salt", salted(5)).get();
  Runner second = again(first.course().get());
  second.go_to(3).get();
  second.set_parameter("salt", salted(9)).get();
  EXPECT_EQ(second.recorded().last, 10) << "it goes on to where the parameter was changed last";
  EXPECT_EQ(numbers_of(second.go_to(20).get()), expected(20, {{10, 9}}));
  second.rewind_to(4).get();
  EXPECT_TRUE(second.course().get().changes.empty()) << "they are forgotten with the steps";
  EXPECT_EQ(numbers_of(second.go_to(20).get()), expected(20));
}

/// Back to before the start, which becomes another one; on from there, and in both directions.
TEST(Course, LeadsThroughWhatWasForgotten) {
  Runner first(std::make_unique<Mixing>());
  first.go_to(-4);
  first.set_parameter("salt", salted(3));
  first.go_to(-12);
  first.rewind_to(-9).get();
  first.set_parameter("salt", salted(4));
  first.go_to(6);
  first.set_parameter("salt", salted(5));
  first.go_to(-15);
  first.set_parameter("salt", salted(8)).get();
  const Course course = first.course().get();
  EXPECT_EQ(course.origin, -9);
  ASSERT_EQ(course.changes.size(), 2U);
  EXPECT_EQ(course.changes.back().step, -15) << "where it was changed last";
  Runner second = again(course);
  Numbers numbers;
  for (int step = 0; step > -9; --step) numbers.back(step > -4 ? 0 : 3);
  EXPECT_EQ(numbers_of(second.go_to(-9).get()), numbers);
  for (int step = -9; step < 10; ++step) numbers.forth(step < 6 ? 4 : 5);
  EXPECT_EQ(numbers_of(second.go_to(10).get()), numbers);
  for (const std::int64_t step : {10, -9, -20, -15, 3, -12, 7})
    EXPECT_EQ(numbers_of(second.go_to(step).get()), numbers_of(first.go_to(step).get())) << step;
}

TEST(Course, LeadsToABranch) {
  Runner first(std::make_unique<Mixing>());
  first.go_to(10);
  first.set_parameter("salt", salted(5));
  first.go_to(40).get();
  Course course = first.course(20).get();
  EXPECT_EQ(course.origin, 20);
  course.way.push_back({20, {{"salt", salted(6)}}});
  Runner branch = again(course);
  EXPECT_EQ(branch.recorded().first, 20);
  EXPECT_EQ(numbers_of(branch.go_to(33).get()), expected(33, {{10, 5}, {20, 6}}));
  EXPECT_EQ(first.course(8).get().way.size(), 1U) << "no change leads there";
}

TEST(Course, WhatItsSimulationRefusesIsTold) {
  const Course course{.start = {{"salt", salted(0)}}, .changes = {{3, {{"salt", salted(13)}}}}};
  Runner runner = again(course);
  EXPECT_EQ(numbers_of(runner.go_to(2).get()), expected(2));
  EXPECT_THROW(runner.go_to(5).get(), Error);
  EXPECT_EQ(runner.status().error, "A salt of 13 is not possible here.");
}

TEST(Course, IsToldThoughAStepFails) {
  const auto watch = std::make_shared<testing::Watch>();
  testing::Gate gate;
  int attempts = 0;
  watch->before_step = [&](std::int64_t to, const jobs::Progress&) {
    if (to != 6) return;
    if (++attempts == 2) gate.pass();
    throw Error("It breaks here.");
  };
  Runner runner(std::make_unique<Mixing>(watch));
  runner.look(std::nullopt, 10);
  gate.wait_for_somebody();
  auto course = runner.course();  // while the last attempt fails
  gate.open();
  EXPECT_EQ(course.get().start.at("salt"), salted(0));
  EXPECT_EQ(runner.status().error, "It breaks here.");
}

/// What it gives tells its step and its salt; counts what is read.
class Recording final : public Simulation {
 public:
  explicit Recording(std::shared_ptr<std::vector<std::int64_t>> read) : read_(std::move(read)) {}
  std::int64_t step() const override { return step_; }
  double time() const override { return static_cast<double>(step_); }
  bool reversible() const override { return false; }
  void advance(std::int64_t steps, const jobs::Progress&) override { step_ += steps; }
  FramePointer snapshot(Wanted, const jobs::Progress&) override {
    read_->push_back(step_);
    auto frame = std::make_shared<testing::MixingFrame>();
    frame->step = step_;
    frame->numbers = {static_cast<std::uint64_t>(step_), static_cast<std::uint64_t>(parameters_.salt)};
    return frame;
  }
  CheckpointPointer checkpoint() const override { return std::make_shared<Nothing>(); }
  void restore(const Checkpoint&) override { throw Error("Nobody needs a recording's checkpoints."); }
  std::unique_ptr<Simulation> branch() const override { return std::make_unique<Mixing>(); }
  const parameters::ParameterSet& parameters() const override { return set_; }
  void set_parameter(std::string_view key, const Value& value) override { set_.set(key, value); }
  std::optional<std::int64_t> recorded_until() const override { return 1000; }

 private:
  struct Nothing final : Checkpoint {
    std::size_t bytes() const override { return 1; }
  };
  static const parameters::Schema<testing::MixingParameters>& schema() {
    static const parameters::Schema<testing::MixingParameters> schema(
        {parameters::field("salt", &testing::MixingParameters::salt, "Salt").range(0, 1000)});
    return schema;
  }
  std::shared_ptr<std::vector<std::int64_t>> read_;
  std::int64_t step_ = 0;
  testing::MixingParameters parameters_;
  parameters::StructParameters<testing::MixingParameters> set_{schema(), parameters_};
};

TEST(Recording, OnlyWhatIsLookedAtIsRead) {
  const auto read = std::make_shared<std::vector<std::int64_t>>();
  Runner runner(std::make_unique<Recording>(read));
  EXPECT_EQ(runner.recorded().last, 1000);
  for (const std::int64_t step : {700, 3, 1000, 701})
    EXPECT_EQ(numbers_of(runner.go_to(step).get()).a, static_cast<std::uint64_t>(step));
  EXPECT_EQ(*read, (std::vector<std::int64_t>{700, 3, 1000, 701}));
  EXPECT_THROW(runner.go_to(1001).get(), Error);
  EXPECT_THROW(runner.go_to(-1).get(), Error);
  EXPECT_THROW(runner.rewind_to(3).get(), Error);
  EXPECT_EQ(runner.recorded().last, 1000);
}

TEST(Recording, WhatComesNextIsReadBeforeItIsShown) {
  const auto read = std::make_shared<std::vector<std::int64_t>>();
  Runner runner(std::make_unique<Recording>(read));
  runner.look(500, 503);
  while (!runner.frame(503)) std::this_thread::yield();
  runner.look(2, -2);  // backwards, up to the beginning
  while (!runner.frame(0)) std::this_thread::yield();
  runner.course().get();  // it has come to rest
  EXPECT_EQ(*read, (std::vector<std::int64_t>{500, 501, 502, 503, 2, 1, 0}));
}

TEST(Recording, IsReadNoFurtherThanThereIsRoom) {
  const auto read = std::make_shared<std::vector<std::int64_t>>();
  RunnerOptions options;
  options.frame_slots = 2;
  Runner runner(std::make_unique<Recording>(read), options);
  runner.look(500, 510);
  while (!runner.frame(501)) std::this_thread::yield();
  runner.course().get();
  EXPECT_EQ(*read, (std::vector<std::int64_t>{500, 501}));
  EXPECT_NE(runner.frame(500), nullptr);
}

TEST(Recording, AParameterActsOnAllOfIt) {
  const auto read = std::make_shared<std::vector<std::int64_t>>();
  Runner runner(std::make_unique<Recording>(read));
  runner.go_to(5).get();
  const auto epoch = runner.recorded().epoch;
  runner.set_parameter("salt", salted(7)).get();
  EXPECT_EQ(runner.frame(5), nullptr) << "the one of before";
  EXPECT_NE(runner.recorded().epoch, epoch);
  EXPECT_EQ(runner.recorded().first, 0);
  EXPECT_EQ(numbers_of(runner.go_to(5).get()).b, 7U);
  EXPECT_EQ(numbers_of(runner.go_to(0).get()).b, 7U);
  EXPECT_TRUE(runner.course().get().changes.empty());
}

}  // namespace
}  // namespace isolume::simulation
