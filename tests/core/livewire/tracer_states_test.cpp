#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/core/livewire/traced_by_hand.h"

namespace isolume::livewire {
namespace {

using State = Tracer::State;
using Eigen::Vector2d;

/// Where every event of this table happens: far from all seeds below.
constexpr double x = 120, y = 80;

using Step = std::function<void(TracedByHand&)>;

const std::map<std::string, Step>& situations() {
  static const std::map<std::string, Step> all{
      {"idle", [](TracedByHand&) {}},
      {"one seed", [](TracedByHand& hand) { hand.click(10, 10); }},
      {"two seeds",  // with less than 20 pixels of outline
       [](TracedByHand& hand) {
         hand.click(10, 10);
         hand.click(20, 10);
         hand.answer();
       }},
      {"three seeds",
       [](TracedByHand& hand) {
         for (const auto& place : {Vector2d(10, 10), Vector2d(60, 10), Vector2d(60, 50)})
           hand.click(place.x(), place.y());
         hand.answer();
       }},
      {"freehand",
       [](TracedByHand& hand) {
         hand.click(10, 10);
         hand.tracer.hold_freehand(true);
         hand.tracer.pressed({10, 10}, 0);
         hand.move(12, 14);
         hand.tracer.hold_freehand(false);
       }},
      {"closed",  // and the closing piece on its way
       [](TracedByHand& hand) {
         situations().at("three seeds")(hand);
         hand.tracer.close();
       }},
      {"open",
       [](TracedByHand& hand) {
         hand.click(10, 10);
         hand.click(60, 10);
         hand.tracer.finish_open();
       }},
  };
  return all;
}

const std::map<std::string, Step>& events() {
  static const std::map<std::string, Step> all{
      {"move", [](TracedByHand& hand) { hand.move(x, y); }},
      {"press",
       [](TracedByHand& hand) {
         hand.tracer.pressed({x, y}, 0);
       }},
      {"press near first",
       [](TracedByHand& hand) {
         hand.tracer.pressed({13, 12}, 0);
       }},
      {"release",
       [](TracedByHand& hand) {
         hand.tracer.released({x, y}, 0);
       }},
      {"double click",
       [](TracedByHand& hand) {
         hand.tracer.double_clicked({x, y}, 0);
       }},
      {"freehand press",
       [](TracedByHand& hand) {
         hand.tracer.hold_freehand(true);
         hand.tracer.pressed({x, y}, 0);
       }},
      {"hold freehand", [](TracedByHand& hand) { hand.tracer.hold_freehand(true); }},
      {"hold no snap", [](TracedByHand& hand) { hand.tracer.hold_no_snap(true); }},
      {"undo", [](TracedByHand& hand) { hand.tracer.undo_seed(); }},
      {"escape", [](TracedByHand& hand) { hand.tracer.escape(); }},
      {"restore", [](TracedByHand& hand) { hand.tracer.restore(); }},
      {"close", [](TracedByHand& hand) { hand.tracer.close(); }},
      {"finish open", [](TracedByHand& hand) { hand.tracer.finish_open(); }},
      {"tick", [](TracedByHand& hand) { hand.tracer.tick(100); }},
      {"answer", [](TracedByHand& hand) { hand.answer(); }},
      {"costs", [](TracedByHand& hand) { hand.tracer.costs_changed(flat_features(200, 100)); }},
      {"settings", [](TracedByHand& hand) { hand.tracer.set_settings({.snap = false}); }},
      {"slice",
       [](TracedByHand& hand) {
         hand.tracer.set_slice({2, 8}, 200, 100, nullptr);
       }},
      {"take", [](TracedByHand& hand) { hand.tracer.take_finished(); }},
  };
  return all;
}

struct Outcome {
  State state;
  std::size_t seeds, pieces, missing;
  bool operator==(const Outcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Outcome& is) {
  return out << "state " << static_cast<int>(is.state) << ", " << is.seeds << " seeds, " << is.pieces
             << " pieces, " << is.missing << " missing";
}

constexpr Outcome nothing{State::idle, 0, 0, 0};

/// What an event does where it is not listed: nothing to the seeds.
const std::map<std::string, std::map<std::string, Outcome>>& changes() {
  using enum Tracer::State;
  static const std::map<std::string, std::map<std::string, Outcome>> all{
      {"idle",
       {{"press", {tracing, 1, 0, 0}},
        {"press near first", {tracing, 1, 0, 0}},
        {"freehand press", {freehand, 1, 0, 0}}}},
      {"one seed",
       {{"press", {tracing, 2, 1, 1}},
        {"press near first", {tracing, 2, 1, 1}},
        {"freehand press", {freehand, 1, 0, 0}},
        {"double click", nothing},
        {"undo", nothing},
        {"escape", nothing},
        {"slice", nothing}}},
      {"two seeds",
       {{"press", {tracing, 3, 2, 1}},
        {"press near first", {tracing, 3, 2, 1}},
        {"freehand press", {freehand, 2, 1, 0}},
        {"double click", {tracing, 1, 0, 0}},
        {"undo", {tracing, 1, 0, 0}},
        {"escape", nothing},
        {"finish open", {finished, 2, 1, 0}},
        {"slice", nothing}}},
      {"three seeds",
       {{"press", {tracing, 4, 3, 1}},
        {"press near first", {finished, 3, 3, 1}},
        {"freehand press", {freehand, 3, 2, 0}},
        {"double click", {finished, 3, 3, 1}},
        {"undo", {tracing, 2, 1, 0}},
        {"escape", nothing},
        {"close", {finished, 3, 3, 1}},
        {"finish open", {finished, 3, 2, 0}},
        {"slice", nothing}}},
      {"freehand",
       {{"press", {tracing, 3, 2, 1}},  // the release got lost: the piece ends here, another begins
        {"press near first", {tracing, 3, 2, 1}},
        {"freehand press", {freehand, 2, 1, 0}},
        {"release", {tracing, 2, 1, 0}},
        {"double click", {finished, 2, 2, 1}},
        {"undo", {tracing, 1, 0, 0}},
        {"escape", nothing},
        {"close", {tracing, 2, 1, 0}},
        {"finish open", {finished, 2, 1, 0}},
        {"slice", nothing}}},
      {"closed",
       {{"undo", {tracing, 3, 2, 0}},
        {"escape", nothing},
        {"answer", {finished, 3, 3, 0}},
        {"slice", nothing}}},
      {"open",
       {{"undo", {tracing, 2, 1, 1}},
        {"escape", nothing},
        {"answer", {finished, 2, 1, 0}},
        {"slice", nothing}}},
  };
  return all;
}

Outcome outcome(const TracedByHand& hand) {
  const auto& draft = hand.tracer.draft();
  return {hand.tracer.state(), draft.seeds.size(), draft.pieces.size(), hand.tracer.missing()};
}

TEST(TracerStates, EveryEventInEveryState) {
  for (const auto& [situation, arrange] : situations()) {
    for (const auto& [event, act] : events()) {
      TracedByHand hand;
      arrange(hand);
      const Outcome before = outcome(hand);
      act(hand);
      const auto& listed = changes().at(situation);
      const auto change = listed.find(event);
      EXPECT_EQ(outcome(hand), change == listed.end() ? before : change->second)
          << situation << ", " << event;
    }
  }
}

TEST(TracerStates, AContourIsTakenOnceAllItsWiresAreThere) {
  TracedByHand hand;
  situations().at("closed")(hand);
  EXPECT_FALSE(hand.tracer.take_finished());
  EXPECT_EQ(hand.tracer.state(), State::finished);
  hand.answer();
  const auto contour = hand.tracer.take_finished();
  ASSERT_TRUE(contour);
  EXPECT_TRUE(contour->closed);
  EXPECT_EQ(contour->slice, (images::SliceId{2, 7}));
  EXPECT_EQ(contour->seeds, (std::vector<Vector2d>{{10, 10}, {60, 10}, {60, 50}}));
  ASSERT_EQ(contour->pieces.size(), 3);
  EXPECT_EQ(contour->pieces[2].points, straight_wire({60, 50}, {10, 10}));
  EXPECT_EQ(outcome(hand), nothing);
}

TEST(TracerStates, ADoubleClickPutsOneSeedAndCloses) {
  TracedByHand hand;
  situations().at("three seeds")(hand);
  hand.double_click(x, y);
  EXPECT_EQ(outcome(hand), (Outcome{State::finished, 4, 4, 2}));
}

TEST(TracerStates, ADoubleClickOnTheFirstSeedLeavesNoneBehind) {
  TracedByHand hand;
  situations().at("three seeds")(hand);
  hand.click(12, 12);
  hand.answer();
  ASSERT_TRUE(hand.tracer.take_finished());
  hand.tracer.double_clicked({12, 12}, 0);
  hand.tracer.released({12, 12}, 0);
  EXPECT_EQ(outcome(hand), nothing);
}

TEST(TracerStates, ADoubleClickThatCanCloseNothingLeavesNoSeed) {
  TracedByHand hand;
  hand.double_click(x, y);
  EXPECT_EQ(outcome(hand), nothing);
  hand.click(10, 10);
  hand.double_click(20, 10);
  EXPECT_EQ(outcome(hand), (Outcome{State::tracing, 1, 0, 0}));
}

TEST(TracerStates, EscapeIsTakenBackUnlessSomethingWasBegun) {
  TracedByHand hand;
  situations().at("closed")(hand);
  hand.tracer.escape();
  hand.tracer.restore();
  EXPECT_EQ(outcome(hand), (Outcome{State::tracing, 3, 2, 0}));
  hand.tracer.escape();
  hand.click(x, y);
  hand.tracer.escape();
  hand.tracer.restore();
  EXPECT_EQ(hand.tracer.draft().seeds, (std::vector<Vector2d>{{x, y}}));
}

TEST(TracerStates, RestoredPiecesAskForTheirWiresAgain) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.click(60, 10);
  const auto early = std::exchange(hand.asked, {});
  hand.tracer.escape();
  for (const auto& each : early) hand.tracer.wire_found(each.serial, straight_wire(each.from, each.to));
  hand.tracer.restore();
  EXPECT_EQ(hand.tracer.missing(), 1);
  hand.answer();
  EXPECT_EQ(hand.tracer.missing(), 0);
}

TEST(TracerStates, PressesOutsideAreMovedToTheBorder) {
  TracedByHand hand;
  hand.click(-30, 50);
  hand.click(1e30, -1e30);
  EXPECT_EQ(hand.tracer.draft().seeds, (std::vector<Vector2d>{{0, 50}, {199, 0}}));
  hand.click(std::numeric_limits<double>::quiet_NaN(), 3);
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 2);
}

TEST(TracerStates, NothingIsTracedWithoutASlice) {
  Tracer tracer({}, [](const WireRequest&) { FAIL(); });
  tracer.pressed({3, 4}, 0);
  EXPECT_EQ(tracer.state(), State::idle);
}

TEST(TracerStates, TwoClicksOnOnePixelAreOneSeed) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.click(10.3, 9.8);
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 1);
}

TEST(TracerStates, AnOutlineThatCameBackToItsFirstSeedClosesThere) {
  TracedByHand hand({.closing_radius_px = 0});
  hand.click(10, 10);
  hand.click(14, 10);
  hand.click(10, 10);  // not yet closable: a seed
  hand.answer();
  hand.tracer.close();
  const auto contour = hand.tracer.take_finished();
  ASSERT_TRUE(contour);
  EXPECT_EQ(contour->seeds.size(), 2);
  EXPECT_EQ(contour->pieces.size(), 2);
}

TEST(TracerStates, ALassoInOneGo) {
  TracedByHand hand;
  hand.tracer.hold_freehand(true);
  hand.tracer.pressed({50, 50}, 0);
  for (int i = 1; i < 60; ++i) hand.move(30 + 20 * std::cos(i / 10.0), 50 + 20 * std::sin(i / 10.0));
  EXPECT_TRUE(hand.tracer.draft().would_close);
  hand.tracer.released({49, 48}, 0);
  const auto contour = hand.tracer.take_finished();
  ASSERT_TRUE(contour);
  EXPECT_EQ(contour->seeds.size(), 1);
  ASSERT_EQ(contour->pieces.size(), 1);
  EXPECT_EQ(contour->pieces[0].kind, contours::PieceKind::freehand);
  EXPECT_EQ(contour->pieces[0].points.front(), contour->pieces[0].points.back());
  EXPECT_TRUE(hand.asked.empty());
}

TEST(TracerStates, ClicksWithTheFreehandKeyMakeStraightPieces) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.tracer.hold_freehand(true);
  hand.click(80, 33);
  ASSERT_EQ(hand.tracer.draft().pieces.size(), 1);
  EXPECT_EQ(hand.tracer.draft().pieces[0].kind, contours::PieceKind::straight);
  EXPECT_EQ(hand.tracer.draft().pieces[0].points, (contours::Polyline{{10, 10}, {80, 33}}));
  EXPECT_TRUE(hand.asked.empty());
}

TEST(TracerStates, SynchronousAnswersAreFine) {
  Tracer* self = nullptr;
  Tracer tracer({}, [&](const WireRequest& request) {
    self->wire_found(request.serial, straight_wire(request.from, request.to));
  });
  self = &tracer;
  tracer.set_slice({}, 100, 100, nullptr);
  for (const auto& place : {Vector2d(10, 10), Vector2d(60, 10), Vector2d(60, 50)}) tracer.pressed(place, 0);
  tracer.close();
  EXPECT_TRUE(tracer.take_finished());
}

}  // namespace
}  // namespace isolume::livewire
