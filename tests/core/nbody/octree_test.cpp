#include "core/nbody/forces/octree.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/nbody/forces/body_keys.h"
#include "core/nbody/forces/cell_moments.h"
#include "core/nbody/forces/hilbert.h"
#include "tests/core/nbody/distributions.h"

namespace isolume::nbody {
namespace {

TEST(Hilbert, NumbersCountEveryPlaceOnceAndNeighboursOfTheCurveTouch) {
  constexpr std::uint32_t side = 16;  // the first four levels
  constexpr int shift = hilbert_levels - 4;
  std::vector<std::array<std::uint32_t, 3>> curve(side * side * side, {side, side, side});
  for (std::uint32_t x = 0; x < side; ++x) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t z = 0; z < side; ++z) {
        const std::uint64_t number = hilbert_number({x << shift, y << shift, z << shift}) >> (3 * shift);
        ASSERT_LT(number, curve.size());
        ASSERT_EQ(curve[number][0], side) << "twice";
        curve[number] = {x, y, z};
      }
    }
  }
  for (std::size_t i = 1; i < curve.size(); ++i) {
    int steps = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      steps += std::abs(static_cast<int>(curve[i][axis]) - static_cast<int>(curve[i - 1][axis]));
    }
    ASSERT_EQ(steps, 1) << i;
  }
}

TEST(Hilbert, LowestLevelsCountToo) {
  constexpr std::uint32_t last = (1u << hilbert_levels) - 1;
  EXPECT_NE(hilbert_number({last, last, last}), hilbert_number({last, last, last - 1}));
  EXPECT_LT(hilbert_number({last, last, last}), std::uint64_t{1} << 63);
}

TEST(Hilbert, ManyNumbersAreThoseOfEach) {
  std::mt19937 random(5);
  std::uniform_int_distribution<std::uint32_t> coordinate(0, (1u << hilbert_levels) - 1);
  for (const std::size_t count : {std::size_t{1}, std::size_t{37}, GridPlaces::capacity}) {
    GridPlaces places;
    std::vector<std::uint64_t> expected, numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      places.x[i] = coordinate(random);
      places.y[i] = coordinate(random);
      places.z[i] = coordinate(random);
      expected.push_back(hilbert_number({places.x[i], places.y[i], places.z[i]}));
    }
    hilbert_numbers(places, numbers);
    EXPECT_EQ(numbers, expected);
  }
}

TEST(BodyKeys, AreSortedByNumbersThenBodiesOnAnyNumberOfThreads) {
  std::mt19937_64 random(6);
  for (const std::size_t count : {1, 100, 5000, 40000}) {
    for (const std::uint64_t kept : {~std::uint64_t{0} >> 1, std::uint64_t{0xff} << 30, std::uint64_t{0}}) {
      std::vector<BodyKey> keys(count);
      for (std::size_t i = 0; i < count; ++i) keys[i] = {random() & kept, static_cast<std::uint32_t>(i)};
      std::vector<BodyKey> expected = keys;
      std::ranges::stable_sort(expected, {}, &BodyKey::number);
      for (const int threads : {1, 8}) {
        std::vector<BodyKey> sorted = keys;
        tbb::task_arena(threads).execute([&] { sort_keys(sorted); });
        EXPECT_TRUE(std::ranges::equal(sorted, expected,
                                       [](const BodyKey& one, const BodyKey& other) {
                                         return one.number == other.number && one.body == other.body;
                                       }))
            << count << " keys, " << threads << " threads";
      }
    }
  }
}

class OctreeOf : public ::testing::TestWithParam<std::size_t> {};

/// Everything that a tree must be, from the bodies alone.
void expect_tree(const Bodies& bodies, const Octree& tree, std::uint32_t leaf_size) {
  std::vector<std::uint32_t> every(bodies.size());
  std::iota(every.begin(), every.end(), 0);
  EXPECT_TRUE(std::ranges::is_permutation(tree.bodies.original, every));
  ASSERT_FALSE(tree.cells.empty());
  EXPECT_EQ(tree.cells[0].count(), bodies.size());
  EXPECT_EQ(tree.cells[0].next, tree.cells.size());
  for (std::uint32_t number = 0; number < tree.cells.size(); ++number) {
    const Cell& cell = tree.cells[number];
    ASSERT_LT(cell.begin, cell.end);
    double mass = 0;
    for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
      const Eigen::Vector3d place = tree.bodies.place(i);
      ASSERT_TRUE(cell.box.contains(place));
      ASSERT_LE((place - cell.centre_of_mass).norm(), cell.radius * (1 + 1e-12));
      mass += tree.bodies.mass(i);
    }
    EXPECT_NEAR(cell.mass, mass, 1e-12);
    if (cell.leaf) {
      EXPECT_EQ(cell.next, number + 1);
      EXPECT_TRUE(cell.count() <= leaf_size || cell.box.sizes().maxCoeff() == 0);
      continue;
    }
    std::uint32_t at = cell.begin, parts = 0;
    for (std::uint32_t part = number + 1; part < cell.next; part = tree.cells[part].next, ++parts) {
      ASSERT_EQ(tree.cells[part].begin, at);
      at = tree.cells[part].end;
    }
    EXPECT_EQ(at, cell.end);
    EXPECT_GE(parts, 2u);
    EXPECT_LE(parts, 8u);
  }
}

TEST_P(OctreeOf, HoldsEveryBodyOnce) {
  const auto [name, bodies] = testing::distributions()[GetParam()];
  SCOPED_TRACE(name);
  if (bodies.size() == 0) GTEST_SKIP() << "there is no tree of no bodies";
  for (const std::uint32_t leaf_size : {1u, 7u, 40u}) {
    ForceSeconds seconds;
    expect_tree(bodies, build_octree(bodies, leaf_size, seconds), leaf_size);
  }
}

INSTANTIATE_TEST_SUITE_P(Distributions, OctreeOf,
                         ::testing::Range(std::size_t{0}, testing::distributions().size()));

TEST(Octree, CentresOfMassAndMomentsAreThoseOfTheBodies) {
  const Bodies bodies = testing::plummer(500);
  ForceSeconds seconds;
  const Octree tree = build_octree(bodies, 8, seconds);
  const auto moments = cell_moments(tree);
  for (std::size_t number = 0; number < tree.cells.size(); ++number) {
    const Cell& cell = tree.cells[number];
    Eigen::Vector3d centre(0, 0, 0);
    for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
      centre += tree.bodies.mass(i) * tree.bodies.place(i) / cell.mass;
    }
    EXPECT_LT((centre - cell.centre_of_mass).norm(), 1e-12);
    if (cell.radius == 0) continue;
    double xy = 0, yyz = 0, xyz = 0, xzzz = 0;  // one of each kind
    for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
      const Eigen::Vector3d from = (tree.bodies.place(i) - centre) / cell.radius;
      xy += tree.bodies.mass(i) * from.x() * from.y();
      yyz -= tree.bodies.mass(i) * from.y() * from.y() * from.z() / 2;
      xyz -= tree.bodies.mass(i) * from.x() * from.y() * from.z();
      xzzz += tree.bodies.mass(i) * from.x() * std::pow(from.z(), 3) / 6;
    }
    EXPECT_NEAR(moments[number].values[1], xy, 1e-6 * cell.mass);
    EXPECT_NEAR(moments[number].values[13], yyz, 1e-6 * cell.mass);
    EXPECT_NEAR(moments[number].values[10], xyz, 1e-6 * cell.mass);
    EXPECT_NEAR(moments[number].values[25], xzzz, 1e-6 * cell.mass);
  }
}

}  // namespace
}  // namespace isolume::nbody
