#include "core/nbody/bodies/added_bodies.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/runs/energy_reference.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"

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
  const AddedBody later{0.1, {1 / 3.0, -2, 3e-7}, {0, 1e10, -0.7}, -12};
  EXPECT_EQ(added_bodies(text_of({one, later})), (std::vector<AddedBody>{one, later}));
  for (const char* wrong : {"1 2 3 4 5 6 7 @x", "1 2 3 4 5 6 7 @1.5", "@3 1 2 3 4 5 6 7", "1 2 3",
                            "1 2 3 4 5 6 7 8", "-1 2 3 4 5 6 7", "1 2 3 nan 5 6 7", "1 2 3 x 5 6 7"})
    EXPECT_THROW(added_bodies(wrong), Error) << wrong;
}

TEST(AddedBodies, HaveTheStepAtWhichTheyJoin) {
  const std::string a = "1 0 0 0 0 0 0", b = "2 0 0 0 0 0 0", c = "3 0 0 0 0 0 0";
  EXPECT_EQ(joining_at(70, "", b), b + " @70");
  EXPECT_EQ(joining_at(70, a, b + "; " + a), a + "; " + b + " @70") << "one of the start stays one";
  EXPECT_EQ(joining_at(70, a + " @0", b + "; " + a), a + " @0; " + b + " @70") << "whose step is known";
  EXPECT_EQ(joining_at(70, "", b + " @100; " + a + " @50"), a + " @50; " + b + " @100") << "in order";
  EXPECT_EQ(joining_at_start(a + " @50; " + b), a + "; " + b);
}

TEST(AddedBodies, ComeAndGoAtTheirSteps) {
  const std::string a = "1 0 0 0 0 0 0 @100", b = "2 0 0 0 0 0 0 @200", of_start = "3 0 0 0 0 0 0";
  using Steps = std::vector<std::pair<std::int64_t, std::string>>;
  const auto way = [](const std::string& after, const std::string& before) {
    Steps steps;
    for (const auto& [step, added] : way_to(after, before, -5)) steps.emplace_back(step, added);
    return steps;
  };
  EXPECT_EQ(way(a, a), Steps());
  EXPECT_EQ(way(a, ""), (Steps{{100, a}}));
  EXPECT_EQ(way("", a), (Steps{{100, ""}}));
  EXPECT_EQ(way(a + "; " + b, a), (Steps{{200, a + "; " + b}}));
  EXPECT_EQ(way(b, a + "; " + b), (Steps{{100, ""}, {200, b}})) << "the later one joins where it did";
  EXPECT_EQ(way(a, of_start), (Steps{{-5, ""}, {100, a}}));
  EXPECT_EQ(way(b, a), (Steps{{100, ""}, {200, b}}));
}

TEST(AddedBodies, OfAStartHaveNoStep) {
  InitialConditions start;
  start.bodies = {{1}, {0}, {0}, {0}, {}, {}, {}};
  RunOptions options;
  options.added = "1e-9 1 0 0 0 1 0 @100";
  EXPECT_THROW(NBodySimulation(start, options), Error);
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

/// A planet whose star loses its mass goes straight on; undone at the same step, the star has it again.
TEST(ChangedBodies, MoveByTheirNewMassesAndAreUndoneAtTheirStep) {
  InitialConditions start;
  start.bodies = {{1, 1e-9}, {0, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 0}};
  NBodySimulation simulation(start, steps());
  simulation.advance(100);
  const Bodies before = simulation.bodies();
  simulation.set_parameter("added-bodies", std::string("#1 0 @100"));
  EXPECT_EQ(simulation.bodies().mass, (std::vector<double>{0, 1e-9}));
  EXPECT_EQ(simulation.labels()->mass[0], 0.0F);
  EXPECT_EQ(simulation.bodies().x, before.x) << "where it was";
  EXPECT_EQ(simulation.bodies().vy, before.vy);
  const auto saved = simulation.checkpoint();
  simulation.set_parameter("added-bodies", std::string());
  EXPECT_EQ(simulation.bodies().mass, before.mass);
  simulation.restore(*simulation.checkpoint());
  EXPECT_EQ(simulation.bodies().mass, before.mass) << "also where it is kept";
  simulation.restore(*saved);
  simulation.advance(50);
  EXPECT_NEAR(simulation.bodies().x[1], before.x[1] + 0.05 * before.vx[1], 1e-9);
  EXPECT_NEAR(simulation.bodies().y[1], before.y[1] + 0.05 * before.vy[1], 1e-9);
  EXPECT_THROW(simulation.set_parameter("added-bodies", std::string()), Error)
      << "what it was is not known any more";
  EXPECT_EQ(simulation.options().added, "#1 0 @100");
  simulation.set_parameter("added-bodies", std::string("#1 0 @100; #2 1e-9 5 6 7 1 2 3 @150"));
  EXPECT_EQ(simulation.bodies().y[1], 6);
  EXPECT_EQ(simulation.bodies().vz[1], 3);
}

TEST(ChangedBodies, AreRemovedAndOthersKeepTheirNumbers) {
  InitialConditions start;
  start.bodies = {{1, 1e-3, 1e-9}, {0, 1, 2}, {0, 0, 0}, {0, 0, 0}, {}, {}, {}};
  RunOptions options = steps();
  options.added = "1e-9 3 0 0 0 0 0; #2; #4";
  NBodySimulation simulation(start, options);
  EXPECT_EQ(simulation.labels()->id, (std::vector<std::uint64_t>{1, 3}))
      << "from the start, an added one, too";
  EXPECT_EQ(simulation.bodies().x, (std::vector<double>{0, 2}));
  simulation.set_parameter("added-bodies", std::string("1e-9 3 0 0 0 0 0; #2; 1e-9 4 0 0 0 0 0"));
  EXPECT_EQ(simulation.labels()->id, (std::vector<std::uint64_t>{1, 3, 4, 5}))
      << "numbers are not used again";
  for (const char* wrong : {"#9", "#2; #2", "#1; #2; #3"}) {
    EXPECT_THROW(simulation.set_parameter("added-bodies", std::string(wrong)), Error) << wrong;
    EXPECT_EQ(simulation.bodies().size(), 4U) << wrong;
  }
}

TEST(ChangedBodies, AreReadAndWritten) {
  const AddedBody moved{0.5, {1, 2, 3}, {4, 5, 6}, 10, 7}, heavier{.mass = 0.25, .of = 8, .mass_only = true},
      gone{.step = 12, .of = 9, .removed = true}, joins{0.5, {1, 2, 3}, {4, 5, 6}};
  const std::string text = "#7 0.5 1 2 3 4 5 6 @10; #8 0.25; #9 @12; 0.5 1 2 3 4 5 6";
  EXPECT_EQ(added_bodies(text), (std::vector<AddedBody>{moved, heavier, gone, joins}));
  EXPECT_EQ(text_of(added_bodies(text)), text);
  EXPECT_EQ(only_new(text), "0.5 1 2 3 4 5 6");
  EXPECT_EQ(count_new(added_bodies(text)), 1U);
  for (const char* wrong : {"#x", "0.5 #7 1 2 3 4 5 6", "#7 1 2", "#7 -1", "@3"})
    EXPECT_THROW(added_bodies(wrong), Error) << wrong;
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
