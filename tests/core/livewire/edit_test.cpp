#include "core/livewire/edit.h"

#include <numbers>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/livewire/traced_by_hand.h"

namespace isolume::livewire {
namespace {

using contours::Contour;
using contours::PieceKind;
using contours::Polyline;
using Eigen::Vector2d;

/// Straight wires, counted.
struct CountedWires {
  int count = 0;
  std::vector<Polylines> traced;  ///< for each
  FindWire find = [this](Pixel from, Pixel to, const Polylines& others) {
    ++count;
    traced.push_back(others);
    return straight_wire(from, to);
  };
};

Contour traced(const std::vector<Vector2d>& seeds, bool closed) {
  Contour contour;
  contour.name = "left lobe 2";
  contour.id = 5;
  contour.closed = closed;
  contour.seeds = seeds;
  const auto pixel = [](const Vector2d& at) {
    return Pixel{static_cast<int>(at.x()), static_cast<int>(at.y())};
  };
  for (std::size_t i = 0; i + (closed ? 0 : 1) < seeds.size(); ++i)
    contour.pieces.push_back(
        {PieceKind::wire, straight_wire(pixel(seeds[i]), pixel(seeds[(i + 1) % seeds.size()]))});
  return contour;
}

Contour square() {
  return traced({{10, 10}, {50, 10}, {50, 50}, {10, 50}}, true);
}

void expect_joined(const Contour& contour) {
  ASSERT_EQ(contour.pieces.size(), contour.seeds.size() - (contour.closed ? 0 : 1));
  for (std::size_t i = 0; i < contour.pieces.size(); ++i) {
    EXPECT_EQ(contour.pieces[i].points.front(), contour.seeds[i]);
    EXPECT_EQ(contour.pieces[i].points.back(), contour.seeds[(i + 1) % contour.seeds.size()]);
  }
}

std::shared_ptr<Features> one_edge_pixel(int x, int y) {
  auto features = flat_features(200, 100);
  features->gradient[static_cast<std::size_t>(y * 200 + x)] = 1;
  return features;
}

TEST(Edit, MovingASeedFindsItsTwoPiecesOnly) {
  for (std::size_t seed = 0; seed < 4; ++seed) {
    CountedWires wires;
    const Contour before = square();
    const Contour after = move_seed(before, seed, {31.4, 28.6}, wires.find);
    EXPECT_EQ(wires.count, 2);
    EXPECT_EQ(after.seeds[seed], Vector2d(31, 29));
    expect_joined(after);
    for (std::size_t k = 1; k < 3; ++k)
      EXPECT_EQ(after.pieces[(seed + k) % 4].points, before.pieces[(seed + k) % 4].points);
  }
}

TEST(Edit, WiresAreFoundBesideThePiecesThatAreThere) {
  const Contour before = square();
  CountedWires moved;
  const Contour after = move_seed(before, 1, {31, 29}, moved.find);
  // The piece after the seed is out of date while the one before it is found.
  EXPECT_EQ(moved.traced.at(0), (Polylines{before.pieces[2].points, before.pieces[3].points}));
  EXPECT_EQ(moved.traced.at(1),
            (Polylines{after.pieces[0].points, before.pieces[2].points, before.pieces[3].points}));
  CountedWires all;
  resnap(before, *flat_features(200, 100), 0, all.find);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(all.traced.at(i).size(), i) << "those found so far";
}

TEST(Edit, MovingTheEndOfAnOpenContourFindsOnePiece) {
  const Contour open = traced({{10, 10}, {50, 10}, {50, 50}}, false);
  for (const std::size_t seed : {0, 1, 2}) {
    CountedWires wires;
    expect_joined(move_seed(open, seed, {31, 29}, wires.find));
    EXPECT_EQ(wires.count, seed == 1 ? 2 : 1);
  }
}

TEST(Edit, AnInsertedSeedLeavesTheOutlineAsItIs) {
  const Contour before = square();
  for (std::size_t piece = 0; piece < 4; ++piece) {
    const Contour after = insert_seed(before, piece, {33.3, 27.6});
    expect_joined(after);
    EXPECT_EQ(after.outline(), before.outline());
    EXPECT_EQ(after.seeds.size(), 5);
  }
  EXPECT_EQ(insert_seed(before, 0, {33.3, 12}).seeds[1], Vector2d(33, 10));
  EXPECT_THROW(insert_seed(before, 0, {9, 12}), Error);
  EXPECT_THROW(insert_seed(before, 4, {33, 12}), Error);
}

TEST(Edit, ASeedOnAStraightPieceLiesBetweenItsEnds) {
  Contour contour = traced({{0, 0}, {10, 0}}, false);
  contour.pieces[0] = {PieceKind::straight, {{0, 0}, {10, 0}}};
  const Contour after = insert_seed(contour, 0, {3.25, 4});
  EXPECT_EQ(after.seeds[1], Vector2d(3.25, 0));
  expect_joined(after);
}

TEST(Edit, DeletingASeedFindsOnePiece) {
  for (std::size_t seed = 0; seed < 4; ++seed) {
    CountedWires wires;
    Contour expected = square();
    expected.seeds.erase(expected.seeds.begin() + static_cast<std::ptrdiff_t>(seed));
    const Contour after = delete_seed(square(), seed, wires.find);
    EXPECT_EQ(after.seeds, expected.seeds);
    EXPECT_EQ(wires.count, 1);
    expect_joined(after);
  }
}

TEST(Edit, DeletingTheEndOfAnOpenContourFindsNone) {
  const Contour open = traced({{10, 10}, {50, 10}, {50, 50}}, false);
  for (const std::size_t seed : {0, 1, 2}) {
    CountedWires wires;
    expect_joined(delete_seed(open, seed, wires.find));
    EXPECT_EQ(wires.count, seed == 1 ? 1 : 0);
  }
  CountedWires wires;
  EXPECT_THROW(delete_seed(traced({{10, 10}, {50, 10}}, false), 0, wires.find), Error);
  EXPECT_THROW(delete_seed(traced({{10, 10}, {50, 10}, {50, 50}}, true), 0, wires.find), Error);
}

TEST(Edit, MovingAContourMovesEveryPoint) {
  const Contour before = square();
  const Contour after = move_contour(before, {3.5, -2});
  expect_joined(after);
  const Polyline points = before.outline(), moved = after.outline();
  ASSERT_EQ(moved.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(moved[i], Vector2d(points[i] + Vector2d(3.5, -2)));
}

TEST(Edit, ACopySnapsItsSeeds) {
  CountedWires wires;
  const Contour copy = copy_to_slice(square(), {2, 9}, *one_edge_pixel(53, 12), 6, wires.find);
  EXPECT_EQ(copy.slice, (images::SliceId{2, 9}));
  EXPECT_EQ(copy.id, 0);
  EXPECT_EQ(copy.name, "left lobe 2");
  EXPECT_EQ(copy.seeds, (std::vector<Vector2d>{{10, 10}, {53, 12}, {50, 50}, {10, 50}}));
  EXPECT_EQ(wires.count, 4);
  expect_joined(copy);
  EXPECT_THROW(copy_to_slice(square(), {1, 9}, *one_edge_pixel(53, 12), 6, wires.find), Error);
}

TEST(Edit, FreehandPiecesGoWithTheirEnds) {
  Contour contour = square();
  contour.pieces[0] = {PieceKind::freehand, {{10, 10}, {30, 20}, {50, 10}}};
  CountedWires wires;
  const Contour copy = copy_to_slice(contour, {2, 9}, *one_edge_pixel(54, 12), 6, wires.find);
  expect_joined(copy);
  EXPECT_EQ(copy.pieces[0].kind, PieceKind::freehand);
  EXPECT_TRUE(copy.pieces[0].points[1].isApprox(Vector2d(32, 21)));
  EXPECT_EQ(wires.count, 3);
}

TEST(Edit, SeedsThatMeetBecomeOne) {
  CountedWires wires;
  for (const Vector2d& place : {Vector2d(10, 12), Vector2d(49, 50)}) {
    Contour contour = traced({{10, 10}, place, {50, 50}, {10, 50}}, true);
    const Contour after =
        resnap(contour, *one_edge_pixel(place.x() < 20 ? 10 : 50, place.x() < 20 ? 11 : 50), 3, wires.find);
    EXPECT_EQ(after.seeds.size(), 3);
    expect_joined(after);
  }
  const Contour ends_meet = traced({{10, 10}, {50, 10}, {50, 50}, {10, 12}}, true);
  expect_joined(resnap(ends_meet, *one_edge_pixel(10, 11), 3, wires.find));
  EXPECT_EQ(resnap(ends_meet, *one_edge_pixel(10, 11), 3, wires.find).seeds.size(), 3);
}

Contour imported_circle() {
  Polyline points;
  for (int i = 0; i < 100; ++i) {
    const double angle = 2 * std::numbers::pi * i / 100;
    points.emplace_back(50 + 30 * std::cos(angle), 50 + 30 * std::sin(angle));
  }
  return contours::contour_from_outline(points, {2, 3}, true, 1);
}

TEST(Edit, AnImportGetsSeedsAndWires) {
  CountedWires wires;
  const Contour after = resnap(imported_circle(), *flat_features(200, 100), 0, wires.find);
  EXPECT_GE(after.seeds.size(), 3);
  EXPECT_EQ(wires.count, after.seeds.size());
  expect_joined(after);
  for (const auto& seed : after.seeds) EXPECT_NEAR((seed - Vector2d(50, 50)).norm(), 30, 1);
}

TEST(Edit, MovingTheOnlySeedOfAnImportKeepsTheRestOfIt) {
  CountedWires wires;
  const Contour after = move_seed(imported_circle(), 0, {90, 50}, wires.find);
  expect_joined(after);
  EXPECT_EQ(wires.count, 2);
  EXPECT_TRUE(std::ranges::count(after.seeds, Vector2d(90, 50)) == 1);
  int kept = 0;
  for (const auto& piece : after.pieces) kept += piece.kind == PieceKind::freehand;
  EXPECT_EQ(kept, static_cast<int>(after.pieces.size()) - 2);
}

TEST(Edit, LockedContoursRefuse) {
  Contour locked = square();
  locked.locked = true;
  CountedWires wires;
  const auto features = flat_features(200, 100);
  EXPECT_THROW(move_seed(locked, 0, {1, 1}, wires.find), Error);
  EXPECT_THROW(insert_seed(locked, 0, {30, 10}), Error);
  EXPECT_THROW(delete_seed(locked, 0, wires.find), Error);
  EXPECT_THROW(move_contour(locked, {1, 1}), Error);
  EXPECT_THROW(copy_to_slice(locked, {2, 1}, *features, 3, wires.find), Error);
  EXPECT_THROW(resnap(locked, *features, 3, wires.find), Error);
  EXPECT_EQ(wires.count, 0);
}

TEST(Edit, SeedsAreHitBeforeOutlines) {
  Contour far = square();
  Contour hidden = square();
  hidden.id = 6;
  hidden.visible = false;
  const std::vector<std::shared_ptr<const Contour>> all{std::make_shared<Contour>(hidden),
                                                        std::make_shared<Contour>(far)};
  const auto on_seed = hit(all, {47, 10}, 4);
  ASSERT_TRUE(on_seed);
  EXPECT_EQ(on_seed->contour, 5);
  EXPECT_EQ(on_seed->seed, 1);
  const auto on_line = hit(all, {30, 47}, 4);
  ASSERT_TRUE(on_line);
  EXPECT_EQ(on_line->seed, std::nullopt);
  EXPECT_EQ(on_line->piece, 2);
  EXPECT_FALSE(hit(all, {30, 30}, 4));
}

}  // namespace
}  // namespace isolume::livewire
