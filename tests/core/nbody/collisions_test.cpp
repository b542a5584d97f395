#include "core/nbody/runs/collisions.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scene_parts.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;

Bodies bodies_at(const std::vector<BodyState>& states, const std::vector<double>& mass) {
  Bodies bodies;
  for (std::size_t i = 0; i < states.size(); ++i) add_body(mass[i], states[i], bodies);
  return bodies;
}

RunOptions colliding(Collisions collisions, double dt = 0.01) {
  RunOptions options;
  options.dt = dt;
  options.solver = SolverKind::direct;
  options.softening_kind = SofteningKind::spline;  // every pair in double precision
  options.softening = 1e-3;
  options.collisions = collisions;
  return options;
}

Vector3d momentum_of(const Bodies& bodies) {
  Vector3d sum(0, 0, 0);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    sum += bodies.mass[i] * Vector3d(bodies.vx[i], bodies.vy[i], bodies.vz[i]);
  return sum;
}

/// Places on their way, by the distance of closest approach.
bool touch(const Bodies& before, const Bodies& now, const std::vector<double>& radius, std::size_t i,
           std::size_t k) {
  const Vector3d start(before.x[k] - before.x[i], before.y[k] - before.y[i], before.z[k] - before.z[i]),
      end(now.x[k] - now.x[i], now.y[k] - now.y[i], now.z[k] - now.z[i]);
  double least = start.norm();
  constexpr int parts = 2000;
  for (int part = 1; part <= parts; ++part)
    least = std::min(least, (start + part * (end - start) / parts).norm());
  return least <= radius[i] + radius[k];
}

TEST(Contacts, AreThoseOfAllPairs) {
  Random random(7, 0, 0);
  constexpr std::size_t count = 120;
  Bodies before, now;
  std::vector<double> radius;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d place(random.uniform(), random.uniform(), random.uniform());
    const Vector3d way = 0.1 * random_direction(random);
    add_body(1, {place, way}, before);
    add_body(1, {place + way, way}, now);
    radius.push_back(i == 0 ? 0.2 : 0.06 * random.uniform());
  }
  std::vector<std::pair<std::size_t, std::size_t>> expected, found;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = i + 1; k < count; ++k) {
      if (touch(before, now, radius, i, k)) expected.emplace_back(i, k);
    }
  }
  const auto contacts = contacts_between(before, now, radius);
  for (const Contact& each : contacts) {
    found.emplace_back(each.one, each.other);
    EXPECT_GE(each.part, 0);
    EXPECT_LE(each.part, 1);
  }
  EXPECT_TRUE(std::ranges::is_sorted(contacts, {}, &Contact::part));
  EXPECT_GT(expected.size(), 15U);
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(expected));
}

TEST(Contacts, BeginWhereSpheresTouch) {
  const Bodies before = bodies_at({{{0, 0, 0}, {0, 0, 0}}, {{3, 0.6, 0}, {0, 0, 0}}}, {1, 1});
  const Bodies now = bodies_at({{{2, 0, 0}, {0, 0, 0}}, {{1, 0.6, 0}, {0, 0, 0}}}, {1, 1});
  const auto contacts = contacts_between(before, now, std::vector{0.5, 0.5});
  ASSERT_EQ(contacts.size(), 1U) << "they have passed through each other";
  // 0.8 apart along x, of 3 that shrink by 4.
  EXPECT_NEAR(contacts[0].part, 2.2 / 4, 1e-14);
  EXPECT_TRUE(contacts_between(before, now, std::vector{0.2, 0.2}).empty());
  Bodies without_mass = before;
  without_mass.mass = {0, 0};
  EXPECT_TRUE(contacts_between(without_mass, without_mass, std::vector{5.0, 5.0}).empty());
}

/// Clusters of overlapping spheres by a search through all pairs.
TEST(Mergers, AreCounted) {
  Random random(3, 0, 0);
  constexpr std::size_t count = 300;
  Bodies bodies;
  const std::vector<double> radius(count, 0.04);
  for (std::size_t i = 0; i < count; ++i)
    add_body(random.uniform(),
             {{random.uniform(), random.uniform(), random.uniform()}, random_direction(random)}, bodies);
  std::vector<int> cluster(count, -1);
  int clusters = 0;
  for (std::size_t seed = 0; seed < count; ++seed) {
    if (cluster[seed] >= 0) continue;
    std::vector<std::size_t> open{seed};
    cluster[seed] = clusters;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      for (std::size_t k = 0; k < count; ++k) {
        if (cluster[k] >= 0 || std::hypot(bodies.x[i] - bodies.x[k], bodies.y[i] - bodies.y[k],
                                          bodies.z[i] - bodies.z[k]) > radius[i] + radius[k])
          continue;
        cluster[k] = clusters;
        open.push_back(k);
      }
    }
    ++clusters;
  }
  const Collided found = merged(bodies, radius, contacts_between(bodies, bodies, radius));
  EXPECT_EQ(found.bodies.size(), static_cast<std::size_t>(clusters));
  EXPECT_LT(clusters, 290);
  EXPECT_EQ(found.collisions, static_cast<std::int64_t>(count) - clusters);
  const auto sum = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  EXPECT_NEAR(sum(found.bodies.mass), sum(bodies.mass), 1e-12);
  EXPECT_LT((momentum_of(found.bodies) - momentum_of(bodies)).norm(), 1e-12);
  EXPECT_LT((centre_of_mass(found.bodies) - centre_of_mass(bodies)).norm(), 1e-14);
  double volume = 0;
  for (const double each : found.radius) volume += each * each * each;
  EXPECT_NEAR(volume, count * 0.04 * 0.04 * 0.04, 1e-12);
}

/// Two bodies fall towards each other from rest at a distance of 2, with the energy -m1 m2 / 2, and merge at rest
/// where they touch.
TEST(CollidingRun, AHeadOnMergerLosesTheEnergyOfBoth) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::hermite}) {
    for (const TimeSteps steps : {TimeSteps::global, TimeSteps::block}) {
      InitialConditions start;
      start.bodies = bodies_at({{{-0.5, 0, 0}, {0.1, 0.2, 0}}, {{1.5, 0, 0}, {0.1, 0.2, 0}}}, {3, 1});
      start.radius = {0.2, 0.1};
      RunOptions options = colliding(Collisions::merge, 1e-3);
      const double error = integrator == Integrator::leapfrog ? 1e-3 : 1e-6;  // of second and fourth order
      options.integrator = integrator;
      options.time_steps = steps;
      NBodySimulation simulation(start, options);
      const Diagnostics first = *simulation.frame(frame_diagnostics)->diagnostics;
      // A fall from 2 with the mass 4 takes less than pi sqrt(2^3 / (8 * 4)) = 1.571.
      simulation.advance(1600);
      ASSERT_EQ(simulation.bodies().size(), 1U);
      const Bodies& one = simulation.bodies();
      EXPECT_EQ(one.mass[0], 4);
      EXPECT_EQ(simulation.labels()->id, (std::vector<std::uint64_t>{1})) << "the heavier one's";
      EXPECT_NEAR(simulation.labels()->radius[0], std::cbrt(0.009), 1e-15);
      EXPECT_LT((momentum_of(one) - Vector3d(0.4, 0.8, 0)).norm(), 1e-13);
      EXPECT_NEAR(one.x[0], 0.1 * 1.6, 1e-12) << "the centre of mass goes on";
      EXPECT_NEAR(one.y[0], 0.2 * 1.6, 1e-12);
      EXPECT_EQ(simulation.collisions(), 1);
      // Kinetic energy of the whole 0.1 stays.
      EXPECT_NEAR(simulation.energy_lost(), -1.5, error);
      const Diagnostics last = *simulation.frame(frame_diagnostics)->diagnostics;
      EXPECT_NEAR(last.energy(), 0.1, 1e-12);
      // The bodies merge at the end of the step during which they touch, a distance of 0.3 or a step's way below it.
      const double speed = std::sqrt(2 * 4 * (1 / 0.3 - 0.5)), nearest = 0.3 - 1.1 * speed * options.dt;
      EXPECT_GT(last.collisions.kinetic_lost, 3 * (1 / 0.3 - 0.5) - error)
          << "mu v^2 / 2 = m1 m2 (1/0.3 - 1/2)";
      EXPECT_LT(last.collisions.kinetic_lost, 3 * (1 / nearest - 0.5) + error);
      EXPECT_GT(last.collisions.potential_change(), 3 / 0.3 - error) << "m1 m2 / 0.3";
      EXPECT_LT(last.collisions.potential_change(), 3 / nearest + error);
      EXPECT_NEAR(last.energy() + last.collisions.kinetic_lost - last.collisions.potential_change(),
                  first.energy(), error);
      EXPECT_LT(std::abs(energy_error(last, first)), error) << "the integrator's alone";
    }
  }
}

/// On a line, with masses so small that gravity does nothing: Newton's law of restitution.
TEST(CollidingRun, AHeadOnBounceFollowsNewtonsLaw) {
  constexpr double m1 = 1e-12, m2 = 3e-12, u1 = 2, u2 = -1;
  for (const TimeSteps steps : {TimeSteps::global, TimeSteps::block}) {
    for (const double restitution : {1.0, 0.5, 0.0}) {
      InitialConditions start;
      start.bodies = bodies_at({{{-1, 0, 0}, {u1, 0, 0}}, {{1, 0, 0}, {u2, 0, 0}}}, {m1, m2});
      start.radius = {0.125, 0.125};
      RunOptions options = colliding(Collisions::bounce, 0.1);
      options.restitution = restitution;
      options.time_steps = steps;
      NBodySimulation simulation(start, options);
      simulation.advance(10);
      ASSERT_EQ(simulation.bodies().size(), 2U);
      const double whole = (m1 * u1 + m2 * u2) / (m1 + m2), relative = restitution * (u1 - u2);
      const double v1 = whole - m2 / (m1 + m2) * relative, v2 = whole + m1 / (m1 + m2) * relative;
      EXPECT_NEAR(simulation.bodies().vx[0], v1, 1e-9);
      EXPECT_NEAR(simulation.bodies().vx[1], v2, 1e-9);
      // They touch at t = 1.75 / 3, at x = -1 + 2 t of the first one.
      const double touching = 1.75 / 3;
      EXPECT_NEAR(simulation.bodies().x[0], -1 + u1 * touching + v1 * (1 - touching), 1e-9);
      EXPECT_NEAR(simulation.bodies().x[1], 1 + u2 * touching + v2 * (1 - touching), 1e-9);
      const double lost = 0.5 * (m1 * u1 * u1 + m2 * u2 * u2 - m1 * v1 * v1 - m2 * v2 * v2);
      EXPECT_NEAR(simulation.energy_lost(), lost, 1e-20);
      EXPECT_NEAR(simulation.kinetic_lost(), lost, 1e-20);
    }
  }
}

/// A cloud that collapses, in which many bodies touch.
class CollidingCloud : public ::testing::TestWithParam<std::pair<Collisions, TimeSteps>> {
 protected:
  static InitialConditions start() {
    SceneOptions scene;
    scene.scene = SceneKind::collapse;
    scene.bodies = 80;
    InitialConditions start = make_scene(scene);
    return start;
  }
  static RunOptions options() {
    RunOptions options = colliding(GetParam().first, 0.01);
    options.integrator = Integrator::hermite;
    options.time_steps = GetParam().second;
    options.softening = 0.05;
    options.restitution = 0.7;
    options.density = 40;  // radii of 0.04
    return options;
  }
};

TEST_P(CollidingCloud, KeepsMomentumAndAccountsForEnergy) {
  NBodySimulation simulation(start(), options());
  const Diagnostics first = *simulation.frame(frame_diagnostics)->diagnostics;
  simulation.advance(160);
  const Diagnostics last = *simulation.frame(frame_diagnostics)->diagnostics;
  EXPECT_GT(simulation.collisions(), 10);
  if (GetParam().first == Collisions::merge) {
    EXPECT_EQ(simulation.bodies().size(), 80 - static_cast<std::size_t>(simulation.collisions()));
  }
  EXPECT_NEAR(std::accumulate(simulation.bodies().mass.begin(), simulation.bodies().mass.end(), 0.0), 1,
              1e-13);
  EXPECT_LT((last.momentum - first.momentum).norm(), GetParam().second == TimeSteps::global ? 1e-13 : 1e-5)
      << "block steps keep it as exactly as they are";
  const double changed = std::abs(last.energy() - first.energy()) / std::abs(first.energy());
  EXPECT_GT(changed, 0.02);
  EXPECT_LT(std::abs(energy_error(last, first)), 0.1 * changed);
  EXPECT_GT(last.collisions.kinetic_lost, 0.02 * std::abs(first.energy()));
  const auto radius = radii_of(simulation.bodies().mass, {}, options(), std::nullopt);
  EXPECT_NEAR(4.0 / 3 * std::numbers::pi * std::pow(radius[0], 3) * 40, simulation.bodies().mass[0], 1e-14);
}

TEST_P(CollidingCloud, IsTheSameFromACheckpointToTheLastBit) {
  NBodySimulation simulation(start(), options());
  simulation.advance(100);
  const auto saved = simulation.checkpoint();
  simulation.advance(60);
  const Bodies expected = simulation.bodies();
  const auto labels = simulation.labels()->id;
  const double lost = simulation.energy_lost(), kinetic_lost = simulation.kinetic_lost();
  NBodySimulation other(start(), options());
  for (NBodySimulation* each : {&simulation, &other}) {
    each->restore(*saved);
    each->advance(60);
    EXPECT_EQ(each->bodies().mass, expected.mass);
    EXPECT_EQ(each->bodies().x, expected.x);
    EXPECT_EQ(each->bodies().vz, expected.vz);
    EXPECT_EQ(each->labels()->id, labels);
    EXPECT_EQ(each->energy_lost(), lost);
    EXPECT_EQ(each->kinetic_lost(), kinetic_lost);
  }
}

/// A cancelled step leaves what there was.
TEST_P(CollidingCloud, IsWhatItWasWhenAStepIsCancelled) {
  NBodySimulation simulation(start(), options());
  simulation.advance(90);
  const Bodies before = simulation.bodies();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(simulation.advance(1, jobs::Progress(stop.get_token(), {})), Cancelled);
  EXPECT_EQ(simulation.bodies().x, before.x);
  EXPECT_EQ(simulation.step(), 90);
}

INSTANTIATE_TEST_SUITE_P(All, CollidingCloud,
                         ::testing::Values(std::pair(Collisions::merge, TimeSteps::global),
                                           std::pair(Collisions::merge, TimeSteps::block),
                                           std::pair(Collisions::bounce, TimeSteps::global),
                                           std::pair(Collisions::bounce, TimeSteps::block)));

TEST(CollidingRun, RefusesWhatMakesNoSense) {
  RunOptions options = colliding(Collisions::merge);
  options.density = 0;
  EXPECT_THROW(check(options), Error);
  options = colliding(Collisions::bounce);
  options.restitution = 1.5;
  EXPECT_THROW(check(options), Error);
  options = colliding(Collisions::merge);
  options.softening_kind = SofteningKind::plummer;
  options.period = 1;
  EXPECT_THROW(check(options), Error);
}

/// A sphere of a solar mass and the Sun's mean density, 1.41 g/cm^3, has the Sun's radius, 0.00465 au.
TEST(CollidingRun, DensitiesAreInGramsWhereUnitsAreKnown) {
  RunOptions options = colliding(Collisions::merge);
  options.density = 1.41;
  const auto units = solar_system_units();
  EXPECT_NEAR(radii_of({1}, {}, options, units)[0], 0.00465, 1e-5);
}

}  // namespace
}  // namespace isolume::nbody
