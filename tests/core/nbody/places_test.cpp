// Forces at places where there is no body, and on bodies that are very close to each other.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/engines/engine.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/forces/solver.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"

namespace isolume::nbody {
namespace {

using testing::by_hand;
using testing::length;
using testing::plummer;
using testing::scattered;

TEST(NBodyForcesAt, PlacesAreSumsInDoublePrecision) {
  const Bodies bodies = plummer(4000);
  for (const std::size_t count : {300u, 2000u}) {  // few are summed without a tree
    const Places places = scattered(count);
    for (const double softening : {0.0, 0.05}) {
      const Forces expected = by_hand(places, bodies, softening);
      for (const SolverKind kind : {SolverKind::direct, SolverKind::barnes_hut, SolverKind::fmm}) {
        ForceOptions options;
        options.solver = kind;
        options.softening = softening;
        options.opening_angle = 0.5;
        SCOPED_TRACE(std::string(make_solver(kind)->name()));
        const Forces found = make_solver(kind)->forces_at(places, bodies, options);
        ASSERT_EQ(found.ax.size(), count);
        ASSERT_EQ(found.potential.size(), count);
        const auto errors = testing::relative_errors(found, expected);
        EXPECT_LT(errors[count * 99 / 100], kind == SolverKind::direct ? 2e-5 : 5e-3);
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_NEAR(found.potential[i], expected.potential[i], 1e-3 * std::abs(expected.potential[i]));
        const SampledErrors sampled = sampled_errors_at(places, bodies, found, options, count);
        EXPECT_NEAR(sampled.p99, errors[sampled.samples * 99 / 100], 1e-9);
      }
    }
  }
}

TEST(NBodyForcesAt, TheErrorThatIsAskedForHolds) {
  const Bodies bodies = plummer(5000);
  const Places places = scattered(1500);
  const Forces expected = by_hand(places, bodies, 0);
  for (const auto& [kind, error] : {std::pair{SolverKind::barnes_hut, 1e-4}, {SolverKind::fmm, 1e-7}}) {
    ForceOptions options;
    options.solver = kind;
    options.error = error;
    const auto errors =
        testing::relative_errors(make_solver(kind)->forces_at(places, bodies, options), expected);
    EXPECT_LT(errors[errors.size() * 99 / 100], error);
  }
}

TEST(NBodyForcesAt, ABodyAtExactlyThePlaceCountsOnlySoftened) {
  Bodies bodies;
  testing::add(bodies, 2, 1, 1, 1);
  testing::add(bodies, 3, 1, 1, 3);
  const Places places{{1, 1}, {1, 1}, {1, 3}};
  for (const SolverKind kind : {SolverKind::direct, SolverKind::barnes_hut, SolverKind::fmm}) {
    const auto solver = make_solver(kind);
    SCOPED_TRACE(std::string(solver->name()));
    ForceOptions options;
    options.solver = kind;
    const Forces hard = solver->forces_at(places, bodies, options);
    EXPECT_NEAR(hard.az[0], 3.0 / 4, 1e-6) << "the body there is left out";
    EXPECT_NEAR(hard.potential[0], -3.0 / 2, 1e-6);
    EXPECT_NEAR(hard.az[1], -2.0 / 4, 1e-6);
    options.softening = 0.5;
    const Forces soft = solver->forces_at(places, bodies, options);
    EXPECT_NEAR(soft.az[0], 3 * 2 / std::pow(4.25, 1.5), 1e-6);
    EXPECT_NEAR(soft.potential[0], -2 / 0.5 - 3 / std::sqrt(4.25), 1e-5);
  }
}

TEST(NBodyForcesAt, EdgesAreDefined) {
  const Bodies bodies = plummer(50);
  for (const SolverKind kind : {SolverKind::direct, SolverKind::barnes_hut, SolverKind::fmm}) {
    const auto solver = make_solver(kind);
    ForceOptions options;
    options.solver = kind;
    EXPECT_EQ(solver->forces_at({}, bodies, options).ax.size(), 0u);
    const Forces none = solver->forces_at(scattered(3), {}, options);
    EXPECT_EQ(none.ax, std::vector<double>(3));
    EXPECT_THROW(solver->forces_at({{1}, {1}, {std::numeric_limits<double>::quiet_NaN()}}, bodies, options),
                 Error);
    EXPECT_THROW(solver->forces_at({{1, 2}, {1, 2}, {1}}, bodies, options), Error);
  }
  ForceOptions options;
  EXPECT_EQ(forces_at_by(*cpu_engines(), scattered(5), bodies, options).ax.size(), 5u);
}

TEST(NBodyForces, OnTightBinariesAreAsExactAsOnOthers) {
  for (const double closeness : {1e-3, 1e-5, 1e-7}) {
    SCOPED_TRACE(closeness);
    const Bodies bodies = testing::binaries(1500, closeness);
    for (const double softening : {0.0, 0.1 * closeness}) {
      ForceOptions options;
      options.softening = softening;
      options.error = 1e-5;
      const Forces expected = make_reference_solver()->forces(bodies, options);
      for (const auto& solver : {make_direct_solver(), make_barnes_hut_solver()}) {
        SCOPED_TRACE(std::string(solver->name()));
        const Forces found = solver->forces(bodies, options);
        const auto errors = testing::relative_errors(found, expected);
        EXPECT_LT(errors[errors.size() * 99 / 100], 1e-5);
        EXPECT_LT(errors.back(), 5e-5);
        if (solver->name() == "direct") {
          EXPECT_LT(testing::largest_potential_error(bodies, found, expected), 3e-5);
        }
      }
    }
  }
}

TEST(NBodyForces, OfTightGroupsOnTheirNeighboursAreExact) {
  const Bodies bodies = testing::beside_tight_groups();
  ForceOptions options;
  options.error = 1e-5;
  const Forces expected = make_reference_solver()->forces(bodies, options),
               found = make_barnes_hut_solver()->forces(bodies, options);
  for (std::size_t i = 0; i < 4; ++i) {
    const double error =
        length(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i], found.az[i] - expected.az[i]);
    EXPECT_LT(error, 1e-5 * length(expected.ax[i], expected.ay[i], expected.az[i])) << i;
  }
}

}  // namespace
}  // namespace isolume::nbody
