#include "core/multipoles/charge_sums.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"

namespace isolume::multipoles {
namespace {

struct Charges {
  std::vector<double> x, y, z, charge;

  void add(double value, double at_x, double at_y, double at_z) {
    x.push_back(at_x);
    y.push_back(at_y);
    z.push_back(at_z);
    charge.push_back(value);
  }
  Points points() const { return {x, y, z, charge}; }
};

double anywhere(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(-1, 1)(random);
}

/// As many of either sign, in a cube.
Charges plasma(int count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Charges charges;
  for (int i = 0; i < count; ++i) {
    const double x = anywhere(random), y = anywhere(random), z = anywhere(random);
    charges.add(i % 2 == 0 ? 1 : -1, x, y, z);
  }
  return charges;
}
/// Salt: every neighbour has the other sign, so that what is far cancels almost.
Charges grid(int side) {
  Charges charges;
  for (int i = 0; i < side * side * side; ++i) {
    const int x = i % side, y = i / side % side, z = i / side / side;
    charges.add((x + y + z) % 2 == 0 ? 1 : -1, x, y, z);
  }
  return charges;
}
/// Pairs of opposite charges 1e-7 apart.
Charges dipoles(int count) {
  Charges charges = plasma(count, 3);
  for (std::size_t i = 1; i < charges.x.size(); i += 2) {
    charges.x[i] = charges.x[i - 1] + 1e-7;
    charges.y[i] = charges.y[i - 1];
    charges.z[i] = charges.z[i - 1];
  }
  return charges;
}
/// In a sphere's surface, of one sign but for one great charge in the middle.
Charges shell(int count) {
  Charges charges = plasma(count, 5);
  for (std::size_t i = 0; i < charges.x.size(); ++i) {
    const double r = std::hypot(charges.x[i], charges.y[i], charges.z[i]);
    for (auto* axis : {&charges.x, &charges.y, &charges.z}) (*axis)[i] = 5 + (*axis)[i] / r;
    charges.charge[i] = 1;
  }
  charges.add(-count / 2.0, 5, 5, 5);
  return charges;
}

ChargeSums exact(const Points& targets, const Points& sources, double softening) {
  ChargeSums sums;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    double potential = 0, dx = 0, dy = 0, dz = 0;
    for (std::size_t j = 0; j < sources.size(); ++j) {
      const double x = sources.x[j] - targets.x[i], y = sources.y[j] - targets.y[i],
                   z = sources.z[j] - targets.z[i];
      const double r = std::hypot(std::hypot(x, y, z), softening);
      if (r == 0 || (&targets == &sources && i == j)) continue;
      potential += sources.charge[j] / r;
      dx += sources.charge[j] / (r * r * r) * x;
      dy += sources.charge[j] / (r * r * r) * y;
      dz += sources.charge[j] / (r * r * r) * z;
    }
    sums.potential.push_back(potential);
    sums.dx.push_back(dx);
    sums.dy.push_back(dy);
    sums.dz.push_back(dz);
  }
  return sums;
}

double p99(const ChargeSums& found, const ChargeSums& expected) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < expected.dx.size(); ++i) {
    errors.push_back(
        std::hypot(found.dx[i] - expected.dx[i], found.dy[i] - expected.dy[i], found.dz[i] - expected.dz[i]) /
        std::hypot(expected.dx[i], expected.dy[i], expected.dz[i]));
  }
  std::ranges::sort(errors);
  return errors[errors.size() * 99 / 100];
}

constexpr double asked_for[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-11};

class SumsOver : public ::testing::TestWithParam<std::pair<const char*, Charges>> {};

TEST_P(SumsOver, ChargesOfBothSignsAreAsExactAsWasAskedFor) {
  const Points points = GetParam().second.points();
  const ChargeSums expected = exact(points, points, 0);
  std::uint64_t fewer = 0;
  for (const double error : asked_for) {
    const ChargeSums found = charge_sums(points, {.error = error});
    EXPECT_LT(p99(found, expected), error);
    EXPECT_GE(found.point_pairs, fewer) << "less exactness costs more";
    fewer = found.point_pairs / 2;
    double largest = 0, charge = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      charge = std::max(charge, std::abs(expected.potential[i]));
      largest = std::max(largest, std::abs(found.potential[i] - expected.potential[i]));
    }
    EXPECT_LT(largest, error * charge);
  }
}

INSTANTIATE_TEST_SUITE_P(Distributions, SumsOver,
                         ::testing::Values(std::pair{"plasma", plasma(5000)},
                                           std::pair{"dipoles", dipoles(3000)},
                                           std::pair{"shell", shell(4000)}),
                         [](const auto& of) { return std::string(of.param.first); });

TEST(ChargeSums, OfSaltHaveMadelungsConstant) {
  // At the middle ion of a large enough cube; charges of the surface are shared, as Evjen counts them.
  constexpr int side = 21;
  Charges salt = grid(side);
  for (std::size_t i = 0; i < salt.x.size(); ++i) {
    for (const auto* axis : {&salt.x, &salt.y, &salt.z}) {
      if ((*axis)[i] == 0 || (*axis)[i] == side - 1) salt.charge[i] /= 2;
    }
  }
  const ChargeSums found = charge_sums(salt.points(), {.error = 1e-8});
  const std::size_t middle = salt.x.size() / 2;
  EXPECT_NEAR(found.potential[middle] * salt.charge[middle], -1.747564594633, 2e-5);
}

TEST(ChargeSums, AtPointsThatAreNotSources) {
  const Charges sources = plasma(4000);
  Charges targets = plasma(3000, 2);
  for (double& x : targets.x) x = 3 * x + 1;  // some beyond the sources
  for (std::size_t i = 0; i < 10; ++i) {      // some at their places
    targets.x[i] = sources.x[i];
    targets.y[i] = sources.y[i];
    targets.z[i] = sources.z[i];
  }
  for (const double softening : {0.0, 0.05}) {
    const Points at = targets.points(), from = sources.points();
    const ChargeSums expected = exact(at, from, softening);
    for (const double error : asked_for) {
      const ChargeSums found = charge_sums(at, from, {.softening = softening, .error = error});
      EXPECT_LT(p99(found, expected), error);
    }
  }
  const ChargeSums nothing = charge_sums(targets.points(), {}, {.error = 1e-3});
  EXPECT_EQ(nothing.dx, std::vector<double>(3000));
  EXPECT_TRUE(charge_sums({}, sources.points(), {.error = 1e-3}).potential.empty());
}

TEST(ChargeSums, SoftenedHaveExpansionsToo) {
  Charges charges = plasma(8000);
  for (double& charge : charges.charge) charge = std::abs(charge);
  const Points points = charges.points();
  for (const double softening : {1e-3, 0.03, 0.3, 5.0}) {
    SCOPED_TRACE(softening);
    const ChargeSums expected = exact(points, points, softening);
    for (const double error : {1e-2, 1e-4, 1e-6, 1e-8}) {
      const ChargeSums found = charge_sums(points, {.softening = softening, .error = error});
      EXPECT_LT(p99(found, expected), error);
      if (softening < 0.1 && error >= 1e-4) {
        EXPECT_LT(found.point_pairs, 8000u * 8000u / 2);
      }
      EXPECT_NEAR(found.potential[17] / expected.potential[17], 1, error);
    }
    const ChargeSums by_angle = charge_sums(points, {.softening = softening, .opening_angle = 0.5});
    EXPECT_LT(p99(by_angle, expected), 1e-3);
  }
}

/// As many at each order of magnitude of the distance from the middle, most of them far within the softening.
Charges cusp(int count) {
  std::mt19937_64 random(7);
  Charges charges;
  while (static_cast<int>(charges.x.size()) < count) {
    const double x = anywhere(random), y = anywhere(random), z = anywhere(random), r = std::hypot(x, y, z);
    if (r > 1 || r < 0.1) continue;
    const double scale = std::pow(10, 2.5 * anywhere(random) - 1.5) / r;  // from 1e-4 to 10
    charges.add(1, scale * x, scale * y, scale * z);
  }
  return charges;
}

TEST(ChargeSums, OfCuspsFarWithinTheSofteningAreAsExactAsWasAskedFor) {
  const Charges charges = cusp(1500);
  const Points points = charges.points();
  for (const double softening : {0.01, 0.1, 10.0}) {
    SCOPED_TRACE(softening);
    const ChargeSums expected = exact(points, points, softening);
    for (const double error : {1e-2, 1e-4, 5e-6}) {
      EXPECT_LT(p99(charge_sums(points, {.softening = softening, .error = error}), expected), error);
    }
  }
}

TEST(ChargeSums, DoNotDependOnTheNumberOfThreads) {
  const Charges charges = plasma(60000);
  for (const double softening : {0.0, 0.01}) {
    const auto on = [&](int threads) {
      ChargeSums sums;
      tbb::task_arena(threads).execute(
          [&] { sums = charge_sums(charges.points(), {.softening = softening, .error = 1e-4}); });
      return sums;
    };
    const ChargeSums one = on(1);
    for (const int threads : {2, 5}) {
      const ChargeSums many = on(threads);
      EXPECT_EQ(one.dx, many.dx);
      EXPECT_EQ(one.dz, many.dz);
      EXPECT_EQ(one.potential, many.potential);
      EXPECT_EQ(one.point_pairs, many.point_pairs);
    }
  }
}

TEST(ChargeSums, WorkGrowsWithTheNumberOfPoints) {
  const auto work = [](int count) {
    const ChargeSums sums = charge_sums(plasma(count).points(), {.opening_angle = 0.5});
    return static_cast<double>(sums.point_pairs) + 500 * static_cast<double>(sums.cell_pairs);
  };
  // A sum over all pairs would take 64 times as much.
  EXPECT_LT(work(160000), 14 * work(20000));
}

TEST(ChargeSums, WhatHasNoChargeCostsNothing) {
  Charges charges = plasma(30000);
  for (std::size_t i = 0; i < charges.charge.size(); ++i) {
    if (charges.x[i] < 0.5) charges.charge[i] = 0;
  }
  const ChargeSums some = charge_sums(charges.points(), {.error = 1e-4});
  EXPECT_LT(some.point_pairs, 30000u * 30000u / 20);
  std::ranges::fill(charges.charge, 0);
  const ChargeSums none = charge_sums(charges.points(), {.error = 1e-4});
  EXPECT_EQ(none.point_pairs, 0u);
  EXPECT_EQ(none.dx, std::vector<double>(30000));
}

TEST(ChargeSums, RefuseWhatMakesNoSense) {
  const Charges charges = plasma(100);
  const auto message = [&](const SumOptions& options) {
    try {
      charge_sums(charges.points(), options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(message({.softening = -1}), ::testing::HasSubstr("softening"));
  EXPECT_THAT(message({.error = 1e-13}), ::testing::HasSubstr("from 1e-12 to 0.1"));
  EXPECT_THAT(message({.opening_angle = 1}), ::testing::HasSubstr("from 0.05 to 0.9"));
}

TEST(ChargeSums, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(charge_sums(plasma(20000).points(), {.error = 1e-3}, {stop.get_token(), nullptr}), Cancelled);
}

class SumsOnInstructionSet : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one
};

TEST_P(SumsOnInstructionSet, AreAsExactAsWasAskedFor) {
  if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
  hwy::GetChosenTarget().Update(GetParam());
  const Charges charges = plasma(2000);
  const Points points = charges.points();
  const ChargeSums expected = exact(points, points, 0);
  for (const double error : {1e-4, 1e-11}) {
    EXPECT_LT(p99(charge_sums(points, {.error = error}), expected), error);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SumsOnInstructionSet,
                         ::testing::Values(HWY_SSSE3, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON, HWY_EMU128),
                         [](const auto& set) { return std::string(hwy::TargetName(set.param)); });

}  // namespace
}  // namespace isolume::multipoles
