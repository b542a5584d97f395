#include "core/nbody/added_bodies.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/energy_reference.h"
#include "core/nbody/nbody_simulation.h"
#include "core/nbody/scenes.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;
using ::testing::HasSubstr;

TEST(AddedBodies, AreReadAsTheyAreWritten) {
  const AddedBody one{0.1, {1 / 3.0, -2, 3e-7}, {0, 1e10, -0.7}}, other{0, {1, 2, 3}, {4, 5, 6}};
  const std::string text = with_added(with_added("", one), other);
  EXPECT_EQ(added_bodies(text), (std::vector<AddedBody>{one, other})) << text;
  EXPECT_TRUE(added_bodies("").empty());
  EXPECT_EQ(added_bodies(" 0 1 2 3 4 5 6 ; ").front(), other);
  for (const char* wrong : {"1 2 3", "1 2 3 4 5 6 7 8", "-1 2 3 4 5 6 7", "1 2 3 nan 5 6 7", "1 2 3 x 5 6 7"})
    EXPECT_THROW(added_bodies(wrong), Error) << wrong;
}

RunOptions steps() {
  RunOptions options;
  options.dt = 1e-3;
  options.solver = SolverKind::direct;
  options.integrator = Integrator::hermite;
  return options;
}

/// A planet that is added to a star on a circle of radius 1 has gone round once after 2 pi.
TEST(AddedBodies, JoinARunAtItsStep) {
  InitialConditions start;
  start.bodies = {{1}, {0}, {0}, {0}, {}, {}, {}};
  NBodySimulation simulation(start, steps());
  simulation.advance(100);
  simulation.set_parameter("added-bodies", std::string("1e-9 1 0 0 0 1 0"));
  ASSERT_EQ(simulation.bodies().size(), 2U);
  EXPECT_EQ(simulation.labels()->id, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(named_bodies(*simulation.labels())[0].name, "added 1");
  const auto saved = simulation.checkpoint();
  simulation.advance(3142);
  EXPECT_NEAR(simulation.bodies().x[1], -1, 1e-6) << "half a period";
  EXPECT_NEAR(simulation.bodies().y[1], 0, 1e-3);
  simulation.set_parameter("added-bodies", std::string());
  EXPECT_EQ(simulation.bodies().size(), 1U) << "taken away";
  EXPECT_EQ(simulation.labels()->id, (std::vector<std::uint64_t>{1}));
  simulation.restore(*saved);
  ASSERT_EQ(simulation.bodies().size(), 2U);
  EXPECT_EQ(simulation.bodies().mass[1], 1e-9);
  EXPECT_EQ(simulation.bodies().x[1], 1);
}

TEST(AddedBodies, AreThereFromTheStart) {
  InitialConditions start;
  start.bodies = {{1}, {0}, {0}, {0}, {}, {}, {}};
  RunOptions options = steps();
  options.added = "1e-9 1 0 0 0 1 0; 1e-9 -1 0 0 0 -1 0";
  NBodySimulation simulation(start, options);
  EXPECT_EQ(simulation.bodies().size(), 3U);
  // The first one goes, the second one stays.
  simulation.set_parameter("added-bodies", std::string("1e-9 -1 0 0 0 -1 0"));
  ASSERT_EQ(simulation.bodies().size(), 2U);
  EXPECT_EQ(simulation.bodies().x[1], -1);
  EXPECT_THROW(simulation.set_parameter("added-bodies", std::string("1 2")), Error);
  EXPECT_EQ(simulation.bodies().size(), 2U);
}

TEST(AddedBodies, BeginTheEnergyErrorAnew) {
  RunOptions options = steps(), other = options;
  other.added = "1 1 0 0 0 1 0";
  EXPECT_FALSE(have_one_energy(options, other));
  options.period = 1;
  options.solver = SolverKind::particle_mesh;
  options.integrator = Integrator::leapfrog;
  EXPECT_NO_THROW(check(options));
  options.added = other.added;
  EXPECT_THROW(check(options), Error) << "in a comoving box";
}

}  // namespace
}  // namespace isolume::nbody
