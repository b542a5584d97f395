#include "core/nbody/forces/kept_error.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/nbody/runs/nbody_simulation.h"
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
        EXPECT_EQ(remarks_on(kept).empty(), kept.is_kept());
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

/// Tables of binaries alternate: heavy ones in even rows, light ones, whose forces are far harder to sum, in odd ones.
TEST(KeptError, IsThatOfAllBodiesWhateverTheirOrder) {
  constexpr double softening = 1e-3, error = 1e-4;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (int pair = 0; pair < 1024; ++pair) {
    const double x = normal(random), y = normal(random), z = normal(random);
    testing::add(bodies, 1, x, y, z);
    testing::add(bodies, 1e-6, x + 1e-5 * normal(random), y + 1e-5 * normal(random),
                 z + 1e-5 * normal(random));
  }
  for (const auto solver : {SolverKind::fmm, SolverKind::barnes_hut, SolverKind::direct}) {
    NBodySimulation simulation({.bodies = bodies}, asking(solver, error, softening));
    const Forces forces = simulation.forces();
    const KeptError kept = simulation.kept_error();
    const double reached = error_of_all(bodies, forces, softening);
    EXPECT_LT(reached, kept.is_kept() ? 1.5 * error : 2 * kept.reached.p99) << static_cast<int>(solver);
  }
}

/// Bodies evenly on a line pull each other from both sides: what is left of the forces near its middle is smaller than
/// single precision holds.
TEST(KeptError, OfADirectSumIsComparedToo) {
  constexpr double softening = 2.8e-4;
  Bodies bodies;
  for (int i = 0; i < 1500; ++i) testing::add(bodies, 1, i / 1500.0, 0, 0);
  for (const double error : {1e-4, 0.1}) {
    NBodySimulation simulation({.bodies = bodies}, asking(SolverKind::direct, error, softening));
    const Forces forces = simulation.forces();
    const KeptError kept = simulation.kept_error();
    const double reached = error_of_all(bodies, forces, softening);
    EXPECT_EQ(kept.asked, error);
    EXPECT_GT(reached, 1e-4);
    EXPECT_EQ(kept.is_kept(), reached <= error) << reached;
    EXPECT_EQ(remarks_on(kept).empty(), kept.is_kept());
  }
}

/// Single precision does not hold the forces of the line at any order: the fast multipole method keeps the error in
/// double precision, as the warning of the direct sum advises.
TEST(KeptError, OfMultipolesIsKeptInDoublePrecisionWhereSingleDoesNotSuffice) {
  Bodies bodies;
  for (int i = 0; i < 1500; ++i) testing::add(bodies, 1.0 / 1500, i / 1499.0, 0, 0);
  const auto direct = NBodySimulation({.bodies = bodies}, asking(SolverKind::direct, 1e-4, 0)).kept_error();
  EXPECT_FALSE(direct.is_kept());
  EXPECT_NE(remarks_on(direct).text().find("Choose the solver \"fmm\""), std::string::npos);
  for (const double error : {1e-3, 1e-4}) {
    NBodySimulation simulation({.bodies = bodies}, asking(SolverKind::fmm, error, 0));
    const Forces forces = simulation.forces();
    EXPECT_TRUE(simulation.kept_error().is_kept()) << simulation.kept_error().reached.p99;
    EXPECT_LT(error_of_all(bodies, forces, 0), error);
  }
}

TEST(KeptError, SamplesAreSpreadOverAllBodies) {
  EXPECT_EQ(bodies_of_sample(3, 100), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(bodies_of_sample(0, 100).empty());
  const auto sampled = bodies_of_sample(2000, 500);
  ASSERT_EQ(sampled.size(), 500U);
  std::size_t odd = 0;
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    EXPECT_EQ(sampled[i] / 4, i);
    odd += sampled[i] % 2;
  }
  EXPECT_GT(odd, 200U);
  EXPECT_LT(odd, 300U);
}

}  // namespace
}  // namespace isolume::nbody
