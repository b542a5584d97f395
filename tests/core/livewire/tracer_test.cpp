#include "core/livewire/tracer.h"

#include <gtest/gtest.h>

#include "tests/core/livewire/traced_by_hand.h"

namespace isolume::livewire {
namespace {

using Eigen::Vector2d;

TEST(SnapToEdge, TakesTheStrongestWithinTheRadius) {
  const auto features = flat_features(20, 20);
  const auto put = [&](int x, int y, float strength) {
    features->gradient[static_cast<std::size_t>(y * 20 + x)] = strength;
  };
  EXPECT_EQ(snap_to_edge(*features, {7.4, 3.6}, 5), Vector2d(7, 4));
  put(10, 4, 1);
  put(7, 8, 2);
  put(14, 4, 3);  // farther than the radius
  EXPECT_EQ(snap_to_edge(*features, {7, 4}, 5), Vector2d(7, 8));
  EXPECT_EQ(snap_to_edge(*features, {7, 4}, 3), Vector2d(10, 4));
  put(10, 4, 2);  // as strong, and nearer
  EXPECT_EQ(snap_to_edge(*features, {7, 4}, 5), Vector2d(10, 4));
  put(0, 0, 9);
  EXPECT_EQ(snap_to_edge(*features, {-50, 1}, 2), Vector2d(0, 0));
}

TEST(SnapToEdge, IsTheBruteForceAnswer) {
  const auto features = flat_features(40, 30);
  std::uint32_t random = 1;
  for (auto& strength : features->gradient)
    strength = static_cast<float>((random = random * 1664525 + 1013904223) >> 28);
  for (const double radius : {0.0, 1.0, 4.3, 9.0}) {
    for (const Vector2d& place : {Vector2d(3.2, 4.9), Vector2d(39, 0), Vector2d(20.5, 15.5)}) {
      const Vector2d found = snap_to_edge(*features, place, radius);
      const auto strength = [&](const Vector2d& at) {
        return features->gradient[static_cast<std::size_t>(at.y() * 40 + at.x())];
      };
      for (int y = 0; y < 30; ++y) {
        for (int x = 0; x < 40; ++x) {
          const Vector2d other(x, y);
          if ((other - place).norm() > radius) continue;
          EXPECT_GE(strength(found), strength(other));
          if (strength(found) == strength(other)) {
            EXPECT_LE((found - place).norm(), (other - place).norm());
          }
        }
      }
    }
  }
}

std::shared_ptr<Features> two_edges() {
  const auto features = flat_features(200, 100);
  for (std::size_t x = 0; x < 200; ++x)
    features->gradient[40 * 200 + x] = features->gradient[44 * 200 + x] = 1;
  return features;
}

TEST(Tracer, SnapsUnlessTheKeyIsHeld) {
  TracedByHand hand;
  hand.tracer.set_slice({}, 200, 100, two_edges());
  hand.move(30.2, 37);
  EXPECT_EQ(hand.tracer.draft().cursor, Vector2d(30, 40));
  EXPECT_TRUE(hand.tracer.draft().snapped);
  hand.tracer.hold_no_snap(true);
  EXPECT_EQ(hand.tracer.draft().cursor, Vector2d(30, 37));
  EXPECT_FALSE(hand.tracer.draft().snapped);
  hand.click(30.2, 37);
  hand.tracer.hold_no_snap(false);
  hand.click(60, 38);
  EXPECT_EQ(hand.tracer.draft().seeds, (std::vector<Vector2d>{{30, 37}, {60, 40}}));
}

TEST(Tracer, NothingToSnapToIsNoSnap) {
  TracedByHand hand;
  hand.move(30.2, 37);
  EXPECT_FALSE(hand.tracer.draft().snapped);
  EXPECT_EQ(hand.tracer.draft().cursor, Vector2d(30, 37));
}

TEST(Tracer, TheCursorStaysWhileTheHandTrembles) {
  TracedByHand hand;
  hand.tracer.set_slice({}, 200, 100, two_edges());
  hand.click(10, 40);
  hand.move(60, 41.9);  // the edge at 40 is nearer, but hardly
  hand.asked.clear();
  for (const double dy : {0.3, -0.4, 0.6, -1.0, 1.0}) {
    hand.move(60.4, 41.9 + dy);
    EXPECT_EQ(hand.tracer.draft().cursor, Vector2d(60, 40));
  }
  EXPECT_TRUE(hand.asked.empty());
  hand.move(60, 43.5);
  EXPECT_EQ(hand.tracer.draft().cursor, Vector2d(60, 44));
  EXPECT_EQ(hand.asked.size(), 1);
}

TEST(Tracer, OneRequestAPixel) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(50, 10);
  hand.move(50.3, 10.2);
  hand.move(50, 10);
  EXPECT_EQ(hand.asked.size(), 1);
}

TEST(Tracer, AClickTakesTheWireThatIsShown) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(50, 30);
  const contours::Polyline odd{{10, 10}, {20, 90}, {50, 30}};
  hand.tracer.wire_found(hand.asked.back().serial, odd);
  hand.asked.clear();
  hand.tracer.pressed({50, 30}, 0);
  EXPECT_EQ(hand.tracer.draft().pieces[0].points, odd);
  EXPECT_TRUE(hand.asked.empty());
  EXPECT_EQ(hand.tracer.missing(), 0);
}

TEST(Tracer, AClickThatIsFasterThanTheWireNeedsIt) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(50, 30);
  hand.answer();
  hand.move(80, 30);
  hand.tracer.pressed({80, 30}, 0);
  ASSERT_EQ(hand.asked.size(), 2);
  EXPECT_FALSE(hand.asked[0].needed);
  EXPECT_TRUE(hand.asked[1].needed);
  EXPECT_EQ(hand.tracer.draft().pieces[0].points, (contours::Polyline{{10, 10}, {80, 30}}));
  hand.tracer.wire_found(hand.asked[1].serial, straight_wire({10, 10}, {80, 30}));
  EXPECT_EQ(hand.tracer.missing(), 0);
  hand.tracer.wire_found(hand.asked[0].serial, straight_wire({10, 10}, {80, 30}));  // of the seed before
  EXPECT_TRUE(hand.tracer.draft().live.empty());
}

TEST(Tracer, LaterAnswersAreNotReplacedByEarlierOnes) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(50, 30);
  hand.move(60, 30);
  ASSERT_EQ(hand.asked.size(), 2);
  hand.tracer.wire_found(hand.asked[1].serial, straight_wire({10, 10}, {60, 30}));
  hand.tracer.wire_found(hand.asked[0].serial, straight_wire({10, 10}, {50, 30}));
  EXPECT_EQ(hand.tracer.draft().live.back(), Vector2d(60, 30));
}

TEST(Tracer, ARequestCarriesTheWireThatIsShown) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(50, 30);
  EXPECT_TRUE(hand.asked[0].shown.empty());
  hand.answer();
  hand.move(52, 30);
  ASSERT_EQ(hand.asked.size(), 1);
  EXPECT_EQ(hand.asked[0].shown, straight_wire({10, 10}, {50, 30}));
}

TEST(Tracer, NewCostsAskForTheLiveWireAndTheMissingOnes) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(50, 30);
  hand.answer();
  hand.click(50, 30);
  hand.click(90, 30);  // faster than its wire
  hand.move(95, 60);
  hand.asked.clear();
  hand.tracer.costs_changed(flat_features(200, 100));
  ASSERT_EQ(hand.asked.size(), 2);
  EXPECT_TRUE(hand.asked[0].needed);
  EXPECT_FALSE(hand.asked[1].needed);
  hand.answer();
  EXPECT_EQ(hand.tracer.draft().pieces[1].points, straight_wire({50, 30}, {90, 30}));
  EXPECT_EQ(hand.tracer.draft().live, straight_wire({90, 30}, {95, 60}));
}

TEST(Tracer, UndoLeadsTheWireFromTheSeedBefore) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.click(50, 30);
  hand.answer();
  hand.move(70, 30);
  hand.answer();
  hand.tracer.undo_seed();
  hand.answer();
  EXPECT_EQ(hand.tracer.draft().live, straight_wire({10, 10}, {70, 30}));
}

TEST(Tracer, TheDraftSaysHowLongItIs) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.click(40, 10);
  hand.answer();
  hand.move(40, 30);
  hand.answer();
  EXPECT_DOUBLE_EQ(hand.tracer.draft().length_px, 50);
}

/// Moves along y = 10, a pixel every 20 ms, with all answers in time.
void draw_right(TracedByHand& hand, int from, int to, double& time) {
  for (int x = from; x <= to; ++x) {
    hand.move(x, 10, time += 0.02);
    hand.answer();
  }
}

TEST(TracerCooling, WhatStayedWhileThePointerWentOnIsFixed) {
  TracedByHand hand;
  hand.click(10, 10);
  double time = 0;
  draw_right(hand, 11, 50, time);
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 1) << "no older than 0.8 s";
  draw_right(hand, 51, 90, time);
  const auto& draft = hand.tracer.draft();
  ASSERT_GE(draft.seeds.size(), 2);
  ASSERT_EQ(draft.pieces.size(), draft.seeds.size() - 1);
  for (std::size_t i = 0; i < draft.pieces.size(); ++i) {
    EXPECT_GE(draft.pieces[i].points.size(), 24);
    EXPECT_EQ(draft.pieces[i].points.back(), draft.seeds[i + 1]);
  }
  EXPECT_EQ(draft.live.front(), draft.seeds.back());
  EXPECT_EQ(draft.live.back(), Vector2d(90, 10));
  EXPECT_DOUBLE_EQ(draft.length_px, 80) << "freezing changes nothing of what is drawn";
}

TEST(TracerCooling, TheFractionRisesToOneAndStartsAnew) {
  TracedByHand hand;
  hand.click(10, 10);
  double time = 0, before = 0;
  bool rose = false;
  draw_right(hand, 11, 58, time);
  while (hand.tracer.draft().seeds.size() == 1 && time < 5) {
    time += 0.02;
    hand.move(59 + std::fmod(time * 100, 30), 10, time);
    hand.answer();
    const double now = hand.tracer.draft().cooling_fraction;
    if (hand.tracer.draft().seeds.size() == 1) {
      EXPECT_GE(now, before);
    }
    rose = rose || (now > 0 && now < 1);
    before = now;
  }
  EXPECT_TRUE(rose);
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 2);
  EXPECT_LT(hand.tracer.draft().cooling_fraction, 1);
}

TEST(TracerCooling, ARestingHandFreezesNothing) {
  TracedByHand hand;
  hand.click(10, 10);
  hand.move(90, 10, 0.1);
  hand.answer();
  for (double time = 0.1; time < 60; time += 0.1) hand.tracer.tick(time);
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 1);
}

TEST(TracerCooling, TimeStandingStillFreezesNothing) {
  TracedByHand hand;
  hand.click(10, 10);
  for (int x = 11; x < 190; ++x) {
    hand.move(x, 10, 7);
    hand.answer();
  }
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 1);
}

TEST(TracerCooling, AWireThatKeepsChangingIsNotFrozen) {
  TracedByHand hand;
  hand.click(10, 50);
  for (int i = 0; i < 200; ++i) {
    hand.move(150, i % 2 == 0 ? 10 : 90, 0.02 * i);
    hand.answer();
  }
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 1);
}

TEST(TracerCooling, CanBeSwitchedOff) {
  TracedByHand hand({.cooling = false});
  hand.click(10, 10);
  double time = 0;
  draw_right(hand, 11, 180, time);
  EXPECT_EQ(hand.tracer.draft().seeds.size(), 1);
  EXPECT_EQ(hand.tracer.draft().cooling_fraction, 0);
}

TEST(TracerCooling, AFrozenPieceIsUndoneLikeAClick) {
  TracedByHand hand;
  hand.click(10, 10);
  double time = 0;
  draw_right(hand, 11, 90, time);
  const std::size_t seeds = hand.tracer.draft().seeds.size();
  ASSERT_GE(seeds, 2);
  hand.tracer.undo_seed();
  hand.answer();
  EXPECT_EQ(hand.tracer.draft().seeds.size(), seeds - 1);
  EXPECT_EQ(hand.tracer.draft().live.back(), Vector2d(90, 10));
}

TEST(Tracer, WiresAreAskedForBesideThePiecesThatAreThere) {
  TracerSettings settings;
  settings.snap = settings.cooling = false;
  TracedByHand hand(settings);
  hand.click(10, 10);
  hand.click(80, 10);
  EXPECT_TRUE(hand.asked.back().traced.empty());
  hand.answer();
  hand.click(80, 60);
  EXPECT_EQ(hand.asked.back().traced, (Polylines{straight_wire({10, 10}, {80, 10})}));
  // The second piece has not been answered: where it goes is not known.
  hand.tracer.close();
  EXPECT_EQ(hand.asked.back().to, (Pixel{10, 10}));
  EXPECT_EQ(hand.asked.back().traced, (Polylines{straight_wire({10, 10}, {80, 10})}));
  hand.tracer.undo_seed();
  hand.answer();
  hand.tracer.close();
  EXPECT_EQ(hand.asked.back().traced,
            (Polylines{straight_wire({10, 10}, {80, 10}), straight_wire({80, 10}, {80, 60})}));
}

}  // namespace
}  // namespace isolume::livewire
