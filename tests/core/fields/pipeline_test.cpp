#include "core/fields/pipeline.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/jobs/activity.h"

namespace isolume::fields {
namespace {

/// A wave of a field in millimetres at one moment, which counts how often it is computed.
class Wave final : public FieldSource {
 public:
  Wave(std::string name, double moment, std::atomic<int>* calls, const void* subject,
       double points_a_second = std::numeric_limits<double>::infinity(), int points = 61)
      : name_(std::move(name)),
        moment_(moment),
        calls_(calls),
        subject_(subject),
        points_a_second_(points_a_second),
        points_(points) {}

  std::string name() const override { return name_; }
  const void* subject() const override { return subject_; }
  std::string key() const override { return name_ + std::to_string(moment_); }
  std::string series() const override { return name_; }
  double points_within(double seconds) const override { return seconds * points_a_second_; }
  grid::Grid grid() const override {
    return grid::centred({0, 0, 0}, {points_, points_, points_}, 0.5, grid::LengthUnit::millimetre);
  }
  MadeField preview(const grid::Grid& grid, const jobs::Progress& progress) const override {
    auto made = compute(grid, progress);
    made.maker = "in passing";
    return made;
  }
  MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    ++*calls_;
    progress.check();
    if (moment_ < 0) throw Error("There was nothing before the beginning.");
    grid::ScalarField field{grid, FieldValues(grid.point_count()), name_, "mT"};
    std::size_t at = 0;
    for (int k = 0; k < grid.dimensions[2]; ++k) {
      for (int j = 0; j < grid.dimensions[1]; ++j) {
        for (int i = 0; i < grid.dimensions[0]; ++i)
          field.values[at++] = static_cast<float>(std::sin(grid.position(i, j, k).x() - moment_));
      }
    }
    MadeField made;
    made.field = std::make_shared<const grid::ScalarField>(std::move(field));
    made.maker = "by hand";
    return made;
  }

 private:
  const std::string name_;
  const double moment_;
  std::atomic<int>* const calls_;
  const void* const subject_;
  const double points_a_second_;
  const int points_;
};

struct Drawn {
  std::shared_ptr<const grid::ScalarField> field;
  bool refined;
  int view;
  std::shared_ptr<const MadeField> second;
};

/// A field that is there, on a grid of its own.
class Ready final : public FieldSource {
 public:
  explicit Ready(const void* subject) : subject_(subject) {
    grid::ScalarField field{grid(), FieldValues(grid().point_count(), 1.0F), "ready", "K"};
    made_.field = std::make_shared<const grid::ScalarField>(std::move(field));
  }
  std::string name() const override { return "ready"; }
  const void* subject() const override { return subject_; }
  std::string key() const override { return "ready"; }
  grid::Grid grid() const override { return grid::centred({1, 0, 0}, {5, 6, 7}, 2); }
  std::optional<MadeField> at_hand() const override { return made_; }
  MadeField compute(const grid::Grid&, const jobs::Progress&) const override {
    throw Error("It need not be computed.");
  }

 private:
  const void* const subject_;
  MadeField made_;
};

class PipelineTest : public testing::Test {
 protected:
  void ask(const std::string& name, double moment = 0, int view = 0,
           Detail detail = Detail::preview_then_refined) {
    pipeline.request({std::make_shared<const Wave>(name, moment, &calls, subject),
                      [this, view](const MadeField& made, bool refined, const jobs::Progress&) {
                        const std::lock_guard guard(mutex);
                        drawn.push_back({made.field, refined, view, made.second});
                      },
                      detail, second});
    jobs.wait_idle();
  }

  jobs::JobRunner jobs;
  std::atomic<int> calls = 0;
  const void* subject = this;
  std::shared_ptr<const FieldSource> second;
  std::mutex mutex;
  std::vector<Drawn> drawn;
  Pipeline pipeline{jobs};
};

/// As where an animation stops at a frame whose preview is under way.
TEST_F(PipelineTest, RefinesAFieldThatIsAskedForRefinedWhileItsPreviewIsDrawn) {
  const auto wave = std::make_shared<const Wave>("wave", 0, &calls, subject);
  const auto keep = [this](const MadeField& made, bool refined) {
    const std::lock_guard guard(mutex);
    drawn.push_back({made.field, refined, 0, made.second});
  };
  bool asked = false;
  pipeline.request({wave,
                    [&](const MadeField& made, bool refined, const jobs::Progress&) {
                      keep(made, refined);
                      if (std::exchange(asked, true)) return;
                      pipeline.request({wave, [keep](const MadeField& again, bool is_refined,
                                                     const jobs::Progress&) { keep(again, is_refined); }});
                    },
                    Detail::preview});
  jobs.wait_idle();
  ASSERT_GE(drawn.size(), 2U);
  EXPECT_FALSE(drawn.front().refined);
  EXPECT_TRUE(drawn.back().refined);
}

TEST_F(PipelineTest, DrawsAPreviewAndThenTheFieldInItsOwnUnit) {
  ask("wave");
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_FALSE(drawn[0].refined);
  EXPECT_TRUE(drawn[1].refined);
  EXPECT_EQ(drawn[0].field->grid, preview_grid(drawn[1].field->grid));
  EXPECT_EQ(drawn[1].field->grid.unit, grid::LengthUnit::millimetre);
  EXPECT_EQ(calls, 2);
}

/// Of either field; on a grid of one cell, which has no coarser one, no preview is made.
TEST_F(PipelineTest, OnlyCoarsePicturesArePreviews) {
  for (const int points : {61, 2}) {
    std::vector<std::string> makers;
    const auto of = [&](const char* name) {
      return std::make_shared<const Wave>(name + std::to_string(points), 0, &calls, subject,
                                          std::numeric_limits<double>::infinity(), points);
    };
    pipeline.request({of("one"),
                      [&](const MadeField& made, bool refined, const jobs::Progress&) {
                        const std::lock_guard guard(mutex);
                        makers.push_back(made.maker + (refined ? ", refined" : ""));
                        makers.push_back(made.second->maker);
                      },
                      Detail::preview_then_refined, of("two")});
    jobs.wait_idle();
    const std::string first = points > 2 ? "in passing" : "by hand";
    EXPECT_EQ(makers, (std::vector<std::string>{first, first, "by hand, refined", "by hand"})) << points;
  }
}

TEST(PreviewGrid, HasNoMorePointsThanAreFoundInTime) {
  const auto refined = grid::centred({0, 0, 0}, {301, 301, 301}, 0.1);
  const auto count = [&](double points_in_time) {
    return static_cast<double>(preview_grid(refined, points_in_time).point_count());
  };
  const double most = static_cast<double>(preview_grid(refined).point_count());
  EXPECT_NEAR(most, 150'000, 15'000);
  EXPECT_EQ(count(1e9), most) << "cheap ones are no more than others";
  for (const double points : {80'000.0, 8'000.0, 1'600.0}) {
    EXPECT_LE(count(points), points);
    EXPECT_GT(count(points), 0.6 * points);
  }
  EXPECT_EQ(count(1), 512) << "something is seen at any price";
  EXPECT_EQ(count(0), count(1));
  const auto small = grid::centred({0, 0, 0}, {31, 31, 31}, 0.1);
  EXPECT_EQ(preview_grid(small, 1e9), preview_grid(small)) << "a third of the points along each axis";
}

TEST_F(PipelineTest, APreviewOfDearPointsHasFewerOfThem) {
  const auto wave = std::make_shared<const Wave>("dear", 0, &calls, subject, 20'000);
  pipeline.request({wave, [this](const MadeField& made, bool refined, const jobs::Progress&) {
                      const std::lock_guard guard(mutex);
                      drawn.push_back({made.field, refined, 0, made.second});
                    }});
  jobs.wait_idle();
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[0].field->grid, preview_grid(wave->grid(), 1600));
  EXPECT_LT(drawn[0].field->values.size(), preview_grid(wave->grid()).point_count());
  EXPECT_EQ(drawn[1].field->grid, wave->grid());
}

TEST_F(PipelineTest, AnotherViewOfAFieldIsDrawnWithoutComputingIt) {
  ask("wave", 0, 1);
  const auto field = drawn.back().field;
  ask("wave", 0, 2);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(drawn.back().view, 2);
  EXPECT_EQ(drawn.back().field, field);
}

TEST_F(PipelineTest, KeepsOtherFieldsButOneMomentOfASeries) {
  ask("other");
  for (const double moment : {1, 2, 3}) ask("wave", moment, 0, Detail::refined);
  EXPECT_EQ(calls, 2 + 3);
  ask("other");
  EXPECT_EQ(calls, 5);
  ask("wave", 3, 0, Detail::refined);
  EXPECT_EQ(calls, 5);
  ask("wave", 2, 0, Detail::refined);
  EXPECT_EQ(calls, 6) << "an earlier moment is not kept";
}

TEST_F(PipelineTest, FieldsOfAnotherSubjectAreComputedAnewThoughTheyAreNamedAlike) {
  ask("wave");
  subject = &calls;
  ask("wave");
  EXPECT_EQ(calls, 4);
}

TEST_F(PipelineTest, ASecondFieldIsDrawnWithTheFirstOnTheSameGrid) {
  std::atomic<int> second_calls = 0;
  const auto colour = [&](const std::string& name) {
    second = std::make_shared<const Wave>(name, 0.5, &second_calls, subject);
  };
  colour("colour");
  ask("wave");
  ASSERT_EQ(drawn.size(), 2U);
  for (const auto& each : drawn) {
    ASSERT_NE(each.second, nullptr);
    EXPECT_EQ(each.second->field->name, "colour");
    EXPECT_EQ(each.second->field->grid, each.field->grid);
  }
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(second_calls, 2);

  const auto field = drawn.back().field;
  ask("wave", 0, 7);
  EXPECT_EQ(drawn.back().view, 7);
  EXPECT_NE(drawn.back().second, nullptr);
  EXPECT_EQ(calls + second_calls, 4) << "both were there";

  colour("other colour");
  ask("wave");
  EXPECT_EQ(drawn.back().field, field) << "the first one need not be computed again";
  EXPECT_EQ(drawn.back().second->field->name, "other colour");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(second_calls, 4);

  // Of a field in time every moment is another first field on the same grid.
  for (const double moment : {1, 2, 3}) ask("wave", moment, 0, Detail::refined);
  EXPECT_EQ(calls, 2 + 3);
  EXPECT_EQ(second_calls, 4);

  second = nullptr;
  ask("wave", 3);
  EXPECT_EQ(drawn.back().second, nullptr);
  EXPECT_EQ(calls, 5);
}

TEST_F(PipelineTest, NoPictureShowsTheFirstFieldWithoutItsSecond) {
  std::atomic<int> second_calls = 0;
  ask("wave");
  const auto before = drawn.size();
  second = std::make_shared<const Wave>("colour", 0, &second_calls, subject);
  ask("wave");
  ASSERT_GT(drawn.size(), before);
  for (auto each = before; each < drawn.size(); ++each) EXPECT_NE(drawn[each].second, nullptr);
  second = std::make_shared<const Wave>("colour", -1, &second_calls, subject);  // cannot be computed
  const auto so_far = drawn.size();
  ask("wave");
  EXPECT_EQ(drawn.size(), so_far);
  second = std::make_shared<const Wave>("colour", 1, &second_calls, subject);
  ask("wave");
  EXPECT_GT(drawn.size(), so_far);
}

TEST_F(PipelineTest, WhatIsAtHandIsTakenAsItIsOnEitherSide) {
  const auto ready = std::make_shared<const Ready>(subject);
  second = ready;
  ask("wave");
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn.back().second->field, ready->at_hand()->field);
  EXPECT_EQ(calls, 2);

  for (const auto detail : {Detail::preview_then_refined, Detail::preview, Detail::refined}) {
    drawn.clear();
    pipeline.clear();
    pipeline.request({ready,
                      [this](const MadeField& made, bool refined, const jobs::Progress&) {
                        const std::lock_guard guard(mutex);
                        drawn.push_back({made.field, refined, 0, made.second});
                      },
                      detail, std::make_shared<const Wave>("colour", 0, &calls, subject)});
    jobs.wait_idle();
    ASSERT_EQ(drawn.size(), 1U);
    EXPECT_EQ(drawn.back().field, ready->at_hand()->field);
    EXPECT_EQ(drawn.back().second->field->grid, ready->grid());
  }
}

TEST_F(PipelineTest, AFieldThatFailsIsNotDrawnAndTheNextOneIs) {
  ask("wave", -1);
  EXPECT_TRUE(drawn.empty());
  ask("wave", 1);
  EXPECT_EQ(drawn.size(), 2U);
}

/// Fields that are computed after the first one is released, on behalf of commands.
class WaitingCommands : public PipelineTest {
 protected:
  /// A field that waits; negative ones fail.
  class Gated final : public FieldSource {
   public:
    Gated(int number, WaitingCommands& test) : number_(number), test_(test) {}
    std::string name() const override { return "gated"; }
    const void* subject() const override { return &test_; }
    std::string key() const override { return std::to_string(number_); }
    grid::Grid grid() const override { return grid::centred({0, 0, 0}, {60, 60, 60}, 1); }
    MadeField compute(const grid::Grid& grid, const jobs::Progress&) const override {
      if (!test_.begun_.exchange(true)) test_.begin_.set_value();
      test_.released_.wait();
      if (number_ < 0) throw Error("There is no such field.");
      MadeField made;
      made.field = std::make_shared<const grid::ScalarField>(grid::ScalarField{
          grid, FieldValues(grid.point_count(), static_cast<float>(number_)), "gated", "K"});
      return made;
    }

   private:
    const int number_;
    WaitingCommands& test_;
  };

  void request(int number) {
    const jobs::Activity::Scope scope(std::make_shared<jobs::Activity>([this, number](auto outcome) {
      const std::lock_guard guard(mutex);
      ends.emplace_back(number, outcome.error);
    }));
    pipeline.request({std::make_shared<const Gated>(number, *this),
                      [this](const MadeField& made, bool refined, const jobs::Progress&) {
                        const std::lock_guard guard(mutex);
                        drawn.push_back({made.field, refined, 0, made.second});
                      }});
  }
  void wait_for_begin() { begin_.get_future().wait(); }
  void release() {
    release_.set_value();
    jobs.wait_idle();
  }

  std::vector<std::pair<int, std::string>> ends;  ///< of commands: what they asked for, and the error

 private:
  std::atomic<bool> begun_ = false;
  std::promise<void> begin_, release_;
  std::shared_future<void> released_ = release_.get_future();
};

TEST_F(WaitingCommands, EndOnceWithTheNewestFieldWhereOthersWereNeverComputed) {
  request(1);
  wait_for_begin();
  request(2);
  request(3);
  request(3);
  release();
  ASSERT_FALSE(drawn.empty());
  EXPECT_TRUE(drawn.back().refined);
  for (const Drawn& each : drawn) EXPECT_NE(each.field->values[0], 2) << "it was superseded before it began";
  EXPECT_EQ(drawn.back().field->values[0], 3);
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<std::pair<int, std::string>>{{1, ""}, {2, ""}, {3, ""}, {3, ""}}));
}

TEST_F(WaitingCommands, FailWithTheFieldThatTheyJoined) {
  request(-1);
  wait_for_begin();
  request(-1);
  release();
  const std::string error = "There is no such field.";
  EXPECT_EQ(ends, (std::vector<std::pair<int, std::string>>{{-1, error}, {-1, error}}));
  EXPECT_TRUE(drawn.empty());
}

TEST(MadeField, SaysWhatItsValuesAreOnce) {
  MadeField made;
  grid::ScalarField field{grid::centred({0, 0, 0}, {2, 2, 2}, 1), FieldValues(8, 2.0F), "", ""};
  field.values[3] = -5;
  made.field = std::make_shared<const grid::ScalarField>(field);
  EXPECT_TRUE(summary_of(made).both_signs);
  EXPECT_EQ(summary_of(made).largest, 5);
  const MadeField copy = made;
  EXPECT_EQ(&summary_of(copy), &summary_of(made));
  MadeField density;
  density.field = made.field;
  density.both_signs = false;
  EXPECT_EQ(summary_of(density).largest, 2) << "of a field that has no negative values but for rounding";
}

}  // namespace
}  // namespace isolume::fields
