#include "gpu/electrostatics/pairs/fixed_bins.h"

#include <set>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"

namespace isolume::gpu {
namespace {

using Eigen::Vector3d;
using electrostatics::Sources;

Sources random_sources(std::size_t count, double side) {
  Sources sources;
  for (std::size_t i = 0; i < count; ++i) {
    Random random(5, i);
    sources.add(side * Vector3d(random.uniform(), random.uniform(), random.uniform()), 1 + random.uniform());
  }
  return sources;
}

TEST(FixedBins, HoldEachChargeOnceWithWhatFindsNoRoom) {
  const Sources sources = random_sources(3000, 31);
  const FixedBins made = fill_fixed_bins(sources, 12, {3.5, 3.5, 3.5});
  EXPECT_EQ(made.held.size() + made.overflow.size(), sources.size());
  EXPECT_GT(made.overflow.size(), 0u) << "three quarters full on average, some bins are too full";
  EXPECT_LT(made.overflow.size(), sources.size() / 5);
  std::multiset<double> given(sources.charge.begin(), sources.charge.end()),
      kept(made.held.charge.begin(), made.held.charge.end());
  kept.insert(made.overflow.charge.begin(), made.overflow.charge.end());
  EXPECT_EQ(given, kept);
  std::size_t in_bins = 0;
  for (std::size_t i = 3; i < made.charges.size(); i += 4) in_bins += made.charges[i] != 0;
  EXPECT_EQ(in_bins, made.held.size());
  // E04's water box: 3.89 angstrom at 0.1023 atoms to the cubic angstrom.
  EXPECT_NEAR(made.bins.side, std::cbrt(6 / (3000 / (31.0 * 31 * 31))), 0.05);
}

TEST(FixedBins, NeighboursAreAllBinsThatAPointOfTheCubeSees) {
  const double cutoff = 7;
  const Vector3d sides(3.5, 2, 5);
  const FixedBins made = fill_fixed_bins(random_sources(2000, 20), cutoff, sides);
  const std::set<std::uint32_t> neighbours(made.neighbours.begin(), made.neighbours.end());
  EXPECT_EQ(neighbours.size(), made.neighbours.size()) << "each once";
  // A point of a cube that begins anywhere in bin 0, and a charge within the cut-off of it.
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random(9, i);
    const auto anywhere = [&] { return Vector3d(random.uniform(), random.uniform(), random.uniform()); };
    const Vector3d point = made.bins.side * anywhere() + anywhere().cwiseProduct(sides);
    const Vector3d away = 2 * anywhere() - Vector3d::Ones();
    if (away.norm() >= 1) continue;
    const Eigen::Vector3i bin =
        ((point + cutoff * away) / made.bins.side).array().floor().matrix().cast<int>();
    ASSERT_TRUE(neighbours.contains(pair_kernels::fixed_bins::packed(bin.x(), bin.y(), bin.z()))) << bin;
  }
}

TEST(FixedBins, SuitAMoleculeThatFillsLittleOfItsBox) {
  // Two balls of 8 angstrom, far from each other.
  const Sources all = random_sources(3000, 31);
  Sources balls;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Vector3d at(all.x[i] - 15.5, all.y[i] - 15.5, all.z[i] - 15.5);
    if (at.norm() < 8) balls.add(at + Vector3d::Constant(i % 2 == 0 ? 0 : 70), 1);
  }
  const FixedBins made = fill_fixed_bins(balls, 12, {3.5, 3.5, 3.5});
  EXPECT_EQ(made.held.size() + made.overflow.size(), balls.size());
  EXPECT_LT(made.overflow.size(), balls.size() / 4);
}

TEST(FixedBins, OfChargesAtOnePlaceHoldAsManyAsOneHas) {
  Sources sources;
  for (int i = 0; i < 100; ++i) sources.add(Vector3d(1, 2, 3), 1);
  const FixedBins made = fill_fixed_bins(sources, 10, {3, 3, 3});
  EXPECT_EQ(made.held.size(), 8u);
  EXPECT_EQ(made.overflow.size(), 92u);
}

TEST(FixedBins, TellWhereTheyCannotBe) {
  EXPECT_THROW(fill_fixed_bins(random_sources(3000, 10), 2, {30, 30, 30}), Error) << "too many neighbours";
  EXPECT_THROW(fill_fixed_bins(random_sources(10, 1e5), 10, {1, 1, 1}), Error) << "too far apart";
}

}  // namespace
}  // namespace isolume::gpu
