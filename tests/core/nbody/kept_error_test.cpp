#include "core/nbody/kept_error.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/nbody/nbody_simulation.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"

namespace isolume::nbody {
namespace {

/// As many bodies at each order of magnitude of the distance from the middle, down to `least`.
Bodies random_cusp(std::size_t count, double least, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(0, 1);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = std::pow(least, part(random));
    const double x = normal(random), y = normal(random), z = normal(random), size = r / std::hypot(x, y, z);
    testing::add(bodies, 1.0 / static_cast<double>(count), x * size, y * size, z * size);
  }
  return bodies;
}

/// That 99 of 100 bodies stay below, of all bodies, beside a sum written out here.
double error_of_all(const Bodies& bodies, const Forces& found, double softening) {
  const auto errors =
      testing::relative_errors(found, testing::by_hand({bodies.x, bodies.y, bodies.z}, bodies, softening));
  return errors[errors.size() * 99 / 100];
}

RunOptions asking(SolverKind solver, double error, double softening) {
  RunOptions options;
  options.solver = solver;
  options.error = error;
  options.softening = softening;
  return options;
}

TEST(KeptError, OfCuspsWithinTheSofteningIsKeptOrTold) {
  constexpr double softening = 0.1;
  int tightened = 0;
  for (const unsigned seed : {1U, 2U}) {
    for (const double least : {1e-3, 1e-6}) {
      const Bodies bodies = random_cusp(3000, least, seed);
      for (const auto& [solver, error] : {std::pair{SolverKind::fmm, 1e-3},
                                          {SolverKind::fmm, 1e-4},
                                          {SolverKind::fmm, 1e-2},
                                          {SolverKind::fmm, 1e-5},
                                          {SolverKind::barnes_hut, 1e-3},
                                          {SolverKind::barnes_hut, 1e-5},
                                          {SolverKind::barnes_hut, 1e-6}}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " least " << least << " fmm "
                                          << (solver == SolverKind::fmm) << " error " << error);
        NBodySimulation simulation({.bodies = bodies}, asking(solver, error, softening));
        const Forces forces = simulation.forces();
        const KeptError kept = simulation.kept_error();
        const double reached = error_of_all(bodies, forces, softening);
        EXPECT_EQ(kept.asked, error);
        EXPECT_EQ(remarks_on(kept, solver).empty(), kept.is_kept());
        EXPECT_EQ(simulation.options().error_factor, kept.factor);
        tightened += kept.factor < 1;
        if (kept.is_kept()) {
          EXPECT_LT(reached, error);
        } else {
          EXPECT_LT(reached, 2 * kept.reached.p99);
          EXPECT_GT(reached, error / 2);
        }
      }
    }
  }
  EXPECT_GT(tightened, 0);
}

}  // namespace
}  // namespace isolume::nbody
