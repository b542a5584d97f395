#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/base/error.h"
#include "core/nbody/forces/octree.h"
#include "core/nbody/forces/solver.h"
#include "core/nbody/forces/stop_tests.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"
#include "tests/core/nbody/spline_kernel.h"
#include "tests/memory_budget.h"

namespace isolume::nbody {
namespace {

using testing::distributions;
using testing::errors;
using testing::largest_potential_error;
using testing::length;
using testing::magnitudes;
using testing::plummer;
using testing::relative_errors;

ForceOptions softened(double softening) {
  ForceOptions options;
  options.softening = softening;
  return options;
}
ForceOptions opened(double angle, double softening = 0) {
  ForceOptions options = softened(softening);
  options.opening_angle = angle;
  return options;
}
ForceOptions exact_to(double error) {
  ForceOptions options;
  options.error = error;
  return options;
}

TEST(NBodyForces, OfTwoBodiesIsNewtonsAndPlummers) {
  Bodies bodies;
  testing::add(bodies, 3, 1, 2, 3);
  testing::add(bodies, 5, 1, 2, 5);
  for (const auto& solver :
       {make_reference_solver(), make_direct_solver(), make_barnes_hut_solver(), make_fmm_solver()}) {
    SCOPED_TRACE(std::string(solver->name()));
    const Forces hard = solver->forces(bodies, {});
    EXPECT_NEAR(hard.az[0], 5.0 / 4, 1e-6);
    EXPECT_NEAR(hard.az[1], -3.0 / 4, 1e-6);
    EXPECT_EQ(hard.ax[0], 0);
    EXPECT_NEAR(hard.potential[0], -5.0 / 2, 1e-6);
    const Forces soft = solver->forces(bodies, softened(1.5));
    EXPECT_NEAR(soft.az[0], 5 * 2 / std::pow(4 + 2.25, 1.5), 1e-6);
    EXPECT_NEAR(soft.potential[0], -5 / std::sqrt(4 + 2.25), 1e-6);
  }
}

TEST(NBodyForces, OfTheDirectSumAreTheReferences) {
  for (const auto& [name, bodies] : distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    for (const double softening : {0.0, 0.1 * extent}) {
      const ForceOptions options = softened(softening);
      const Forces found = make_direct_solver()->forces(bodies, options),
                   expected = make_reference_solver()->forces(bodies, options);
      ASSERT_EQ(found.ax.size(), bodies.size());
      if (bodies.size() == 0) continue;
      EXPECT_LT(errors(bodies, found, expected, softening).back(), 1e-5);
      EXPECT_LT(largest_potential_error(bodies, found, expected), 1e-5);
    }
  }
}

TEST(NBodyForces, OfBarnesHutAreNearTheReferences) {
  for (const auto& [name, bodies] : distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    for (const double softening : {0.0, 0.1 * extent}) {
      const ForceOptions options = opened(0.5, softening);
      const Forces found = make_barnes_hut_solver()->forces(bodies, options),
                   expected = make_reference_solver()->forces(bodies, options);
      ASSERT_EQ(found.ax.size(), bodies.size());
      if (bodies.size() == 0) continue;
      EXPECT_LT(errors(bodies, found, expected, softening).back(), 5e-3);
      EXPECT_LT(largest_potential_error(bodies, found, expected), 2e-3);
    }
  }
}

/// With what an error that is asked for is relative to on bodies where there is a force at all.
double p99_error(const Bodies& bodies, const Forces& found, const Forces& expected, double softening) {
  std::vector<double> relative;
  const auto all = magnitudes(bodies, softening);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double force = length(expected.ax[i], expected.ay[i], expected.az[i]);
    const double error =
        length(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i], found.az[i] - expected.az[i]);
    // The reference itself rounds.
    if (force > 1e-6 * all[i]) relative.push_back(std::max(0.0, error - 1e-15 * all[i]) / force);
  }
  if (relative.empty()) return 0;
  std::ranges::sort(relative);
  return relative[relative.size() * 99 / 100];
}

TEST(NBodyForces, OfTheFastMultipoleMethodAreAsExactAsWasAskedForWhateverTheBodies) {
  for (const auto& [name, bodies] : distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    for (const double softening : {0.0, 0.1 * extent}) {
      ForceOptions options = softened(softening);
      options.solver = SolverKind::fmm;
      const Forces expected = make_reference_solver()->forces(bodies, options);
      for (const double error : {1e-2, 1e-3, 1e-5, 1e-7, 1e-10}) {
        options.error = error;
        const Forces found = make_fmm_solver()->forces(bodies, options);
        ASSERT_EQ(found.ax.size(), bodies.size());
        if (bodies.size() == 0) continue;
        EXPECT_LT(p99_error(bodies, found, expected, softening), error) << "softening " << softening;
        EXPECT_LT(largest_potential_error(bodies, found, expected), 10 * error);
      }
    }
  }
}

class NBodyForcesBySpline : public ::testing::TestWithParam<SolverKind> {
 protected:
  static ForceOptions options(double softening) {
    ForceOptions options = opened(0.5, softening);
    options.solver = GetParam();
    options.softening_kind = SofteningKind::spline;
    return options;
  }
  static Forces forces(const Bodies& bodies, const ForceOptions& options) {
    return make_solver(GetParam())->forces(bodies, options);
  }
  static bool direct() { return GetParam() == SolverKind::direct; }
};

INSTANTIATE_TEST_SUITE_P(Solvers, NBodyForcesBySpline,
                         ::testing::Values(SolverKind::direct, SolverKind::barnes_hut), [](const auto& made) {
                           return made.param == SolverKind::direct ? "direct" : "barnes_hut";
                         });

TEST_P(NBodyForcesBySpline, OfTwoBodiesAreThoseOfTheKernel) {
  constexpr double softening = 0.7;
  for (const double u : {0.001, 0.2, 0.499, 0.501, 0.8, 0.999, 1.001, 3.0}) {
    SCOPED_TRACE(u);
    const double r = u * 2.8 * softening;
    Bodies bodies;
    testing::add(bodies, 3, 1, 2, 3);
    testing::add(bodies, 5, 1, 2, 3 + r);
    const auto [attraction, potential] = testing::spline_by_hand(r, softening);
    const Forces found = forces(bodies, options(softening));
    EXPECT_NEAR(found.az[0], 5 * attraction, 1e-6 * 5 * attraction);
    EXPECT_NEAR(found.az[1], -3 * attraction, 1e-6 * 3 * attraction);
    EXPECT_NEAR(found.potential[0], 5 * potential, 1e-6 * 5 * std::abs(potential));
  }
}

TEST_P(NBodyForcesBySpline, AreTheKernelsWhateverTheBodies) {
  for (const auto& [name, bodies] : distributions()) {
    SCOPED_TRACE(name);
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    // Below 1e-10 of the extent, the kernel is out of range of single precision.
    for (const double of_extent : {0.1, 1e-3, 1e-11}) {
      const double softening = of_extent * (extent > 0 ? extent : 1);
      const Forces found = forces(bodies, options(softening));
      const auto expected = testing::spline_forces_by_hand(bodies, softening);
      ASSERT_EQ(found.ax.size(), bodies.size());
      if (bodies.size() == 0) continue;
      EXPECT_LT(testing::errors(found, expected).back(), direct() ? 1e-12 : 5e-3) << softening;
      EXPECT_LT(largest_potential_error(bodies, found, expected.forces), direct() ? 1e-12 : 2e-3)
          << softening;
    }
  }
}

TEST_P(NBodyForcesBySpline, OfCellsAreThoseOfBodiesBeyondTheSupport) {
  const Bodies bodies = plummer(3000);
  ForceOptions wide = options(20);  // every pair is within the support
  wide.opening_angle = 2;
  const Forces inner = forces(bodies, wide);
  EXPECT_EQ(inner.cell_pairs, 0U);
  EXPECT_LT(testing::errors(inner, testing::spline_forces_by_hand(bodies, wide.softening)).back(), 1e-6);
  if (direct()) return;
  // A little of it makes the tree no less exact, and hardly larger.
  const ForceOptions little = options(0.02);
  const Forces found = forces(bodies, little);
  const auto by_spline = testing::errors(found, testing::spline_forces_by_hand(bodies, little.softening));
  ForceOptions plummers = little;
  plummers.softening_kind = SofteningKind::plummer;
  const Forces by_spheres = forces(bodies, plummers);
  EXPECT_LT(by_spline[2970],
            1.5 * errors(bodies, by_spheres, make_reference_solver()->forces(bodies, plummers),
                         little.softening)[2970]);
  EXPECT_GT(found.cell_pairs, 0U);
  EXPECT_LT(found.body_pairs, 3 * by_spheres.body_pairs / 2) << "cells still act as wholes";
}

TEST_P(NBodyForcesBySpline, NinetyNineOfAHundredAreAsExactAsWasAskedFor) {
  const Bodies bodies = testing::clustered(4000, 4);
  for (const double error : {1e-3, 1e-5}) {
    ForceOptions asked = options(1e-3);
    asked.error = error;
    const auto expected = testing::spline_forces_by_hand(bodies, asked.softening);
    const auto errors = relative_errors(forces(bodies, asked), expected.forces);
    EXPECT_LT(errors[errors.size() * 99 / 100], error);
  }
}

TEST_P(NBodyForcesBySpline, OnSomeBodiesAreThoseOnAll) {
  const Bodies bodies = plummer(2500);
  const auto expected = testing::spline_forces_by_hand(bodies, 0.05).forces;
  for (const std::uint32_t every : {3U, 25U}) {  // more bodies than Barnes-Hut sums directly, and fewer
    std::vector<std::uint32_t> active;
    for (std::uint32_t i = 1; i < bodies.size(); i += every) active.push_back(i);
    const Forces found = make_solver(GetParam())->active_forces(bodies, active, options(0.05));
    for (const std::uint32_t i : active) {
      const double size = length(expected.ax[i], expected.ay[i], expected.az[i]);
      ASSERT_NEAR(found.ax[i], expected.ax[i], 1e-2 * size) << i;
      ASSERT_NEAR(found.az[i], expected.az[i], 1e-2 * size) << i;
      ASSERT_NEAR(found.potential[i], expected.potential[i], -2e-3 * expected.potential[i]) << i;
    }
  }
}

TEST(NBodyForces, AreSoftenedBySplinesWithTwoSolversOnly) {
  ForceOptions options;
  options.softening_kind = SofteningKind::spline;
  options.softening = 0.1;
  for (const SolverKind kind : {SolverKind::direct, SolverKind::barnes_hut}) {
    options.solver = kind;
    EXPECT_NO_THROW(check(options));
  }
  options.solver = SolverKind::fmm;
  EXPECT_THROW(make_fmm_solver()->forces(plummer(10), options), Error);
  options.solver = SolverKind::particle_mesh;
  options.period = 1;
  EXPECT_THROW(check(options), Error);
}

TEST(NBodyForces, ErrorFallsWithTheOpeningAngle) {
  const Bodies bodies = plummer(6000);
  const Forces expected = make_reference_solver()->forces(bodies, {});
  double before = 1;
  for (const double angle : {1.0, 0.7, 0.5, 0.35}) {
    const auto errors = relative_errors(make_barnes_hut_solver()->forces(bodies, opened(angle)), expected);
    const double median = errors[errors.size() / 2];
    // The terms of third order that are left out fall as the cube of the angle.
    EXPECT_LT(median, 0.6 * before) << angle;
    before = median;
  }
  EXPECT_LT(before, 1e-4);
}

TEST(NBodyForces, NinetyNineOfAHundredAreAsExactAsWasAskedFor) {
  for (const auto& bodies :
       {plummer(8000), testing::joined(plummer(4000), testing::moved(plummer(3000, 2), 20))}) {
    const Forces expected = make_reference_solver()->forces(bodies, {});
    for (const auto& solver : {make_barnes_hut_solver(), make_fmm_solver()}) {
      SCOPED_TRACE(std::string(solver->name()));
      std::uint64_t fewer = std::numeric_limits<std::uint64_t>::max();
      for (const double error : {1e-4, 1e-3, 1e-2}) {
        const Forces found = solver->forces(bodies, exact_to(error));
        const auto errors = relative_errors(found, expected);
        EXPECT_LT(errors[errors.size() * 99 / 100], error);
        EXPECT_GT(errors[errors.size() * 99 / 100], error / 6)
            << "more accurate than requested, which costs time";
        EXPECT_LT(found.body_pairs + found.cell_pairs, fewer) << "what is asked for costs nothing";
        fewer = found.body_pairs + found.cell_pairs;
      }
    }
  }
}

TEST(NBodyForces, DoNotDependOnTheNumberOfThreads) {
  const Bodies bodies = plummer(40000);
  for (const auto& solver : {make_direct_solver(), make_barnes_hut_solver(), make_fmm_solver()}) {
    ForceOptions options;
    options.threads = 1;
    const Bodies some = solver->name() == "direct" ? plummer(3000) : bodies;
    const Forces one = solver->forces(some, options);
    for (const int threads : {2, 7}) {
      options.threads = threads;
      const Forces many = solver->forces(some, options);
      EXPECT_EQ(one.ax, many.ax);
      EXPECT_EQ(one.potential, many.potential);
    }
  }
}

TEST(NBodyForces, AMillionBodiesAtOnePlaceTakeNoTime) {
  const Bodies bodies = testing::scaled(plummer(1000000), 0, 1);
  const Forces found = make_barnes_hut_solver()->forces(bodies, softened(0.5));
  EXPECT_EQ(found.ax[17], 0);
  EXPECT_NEAR(found.potential[17], -2, 1e-5);
  EXPECT_LE(found.body_pairs, bodies.size());
}

TEST(NBodyForces, RefusesWhatMakesNoSense) {
  Bodies bodies = plummer(3);
  bodies.y[1] = std::numeric_limits<double>::quiet_NaN();
  const auto solver = make_barnes_hut_solver();
  const auto message = [&](const ForceOptions& options) {
    try {
      solver->forces(bodies, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message({}), "Body 2: y is nan. Give a finite number.");
  bodies.y[1] = 0;
  bodies.mass[2] = -1;
  EXPECT_EQ(message({}), "Body 3: its mass is -1. Give a mass of 0 or more.");
  bodies.mass[2] = 1;
  bodies.x[0] = 1e200;
  EXPECT_EQ(message({}), "Body 1: x is 1e+200. Give a number within 1e+150, in larger units.");
  bodies.x.pop_back();
  EXPECT_EQ(message({}), "3 bodies have 2 values of x; there must be one for each.");
  bodies = plummer(3);
  EXPECT_THAT(message(softened(-1)), ::testing::HasSubstr("softening"));
  EXPECT_THAT(message(opened(0)), ::testing::HasSubstr("opening angle"));
  EXPECT_THAT(message(exact_to(2)), ::testing::HasSubstr("error"));
}

TEST(NBodyForces, OfMoreBodiesThanMemoryAreRefused) {
  const Bodies bodies = plummer(2000);
  for (const auto& solver : {make_direct_solver(), make_barnes_hut_solver()}) {
    SCOPED_TRACE(std::string(solver->name()));
    {
      const isolume::testing::MemoryBudget budget("200KiB");
      EXPECT_THROW(solver->forces(bodies, {}), ResourceError);
      EXPECT_THROW(solver->forces_at({{1}, {1}, {1}}, bodies, {}), ResourceError);
    }
    const isolume::testing::MemoryBudget budget("400KiB");
    EXPECT_EQ(solver->forces(bodies, {}).ax.size(), 2000u);
  }
}

TEST(NBodyForces, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const jobs::Progress progress(stop.get_token(), nullptr);
  for (const auto& solver : {make_direct_solver(), make_barnes_hut_solver(), make_fmm_solver()}) {
    EXPECT_THROW(solver->forces(plummer(5000), {}, progress), Cancelled);
  }
}

class NBodyOnInstructionSet : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
    hwy::GetChosenTarget().Update(GetParam());
  }
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one
};

TEST_P(NBodyOnInstructionSet, ForcesAreTheReferences) {
  const Bodies bodies = plummer(1000);
  const Forces expected = make_reference_solver()->forces(bodies, {});
  EXPECT_LT(errors(bodies, make_direct_solver()->forces(bodies, {}), expected, 0).back(), 1e-5);
  EXPECT_LT(errors(bodies, make_barnes_hut_solver()->forces(bodies, opened(0.5)), expected, 0).back(), 2e-3);
}

/// What is found of several cells at once is what is found of each alone, but where rounding decides.
TEST_P(NBodyOnInstructionSet, CellsActOnTheSameTogetherAsAlone) {
  ForceSeconds seconds;
  const Octree tree = build_octree(plummer(3000), 32, seconds);
  Paged<Stop> stops = stops_of(tree);
  set_openings(tree, Criterion::angle, 0.7, stops);
  const StopTests tests(stops);
  const auto all = static_cast<std::uint32_t>(stops.size());
  std::array<int, 3> of_each{};
  int looked_at = 0, others = 0;
  for (const double allowed : {0.0, 1e-3}) {
    for (std::uint32_t target = 1; target < all; target += 7) {
      const auto place = place_of(tree.cells[target].box, 1.2, allowed, 1e-3);
      for (std::uint32_t first = 0, count = 1; first < all;
           first += count, count = count % StopTests::most + 1) {
        count = std::min(count, all - first);
        std::array<ActsOn, StopTests::most> found{};
        tests.judge(first, count, place, 1.3, found.data());
        for (std::uint32_t i = 0; i < count; ++i) {
          const Stop& stop = stops[first + i];
          const ActsOn alone = acts_on_place_as_a_whole(stop, place, 1.3) ? ActsOn::place
                               : acts_on_bodies_as_a_whole(stop, place)   ? ActsOn::bodies
                                                                          : ActsOn::parts;
          ++of_each[static_cast<std::size_t>(alone)];
          ++looked_at;
          others += found[i] != alone;
        }
      }
    }
  }
  for (const int number : of_each) EXPECT_GT(number, 100);
  EXPECT_LE(others, looked_at / 10000);
}

INSTANTIATE_TEST_SUITE_P(All, NBodyOnInstructionSet,
                         ::testing::Values(HWY_SSSE3, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON, HWY_EMU128),
                         [](const auto& set) { return std::string(hwy::TargetName(set.param)); });

}  // namespace
}  // namespace isolume::nbody
