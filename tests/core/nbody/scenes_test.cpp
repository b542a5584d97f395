#include "core/nbody/scenes/scenes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/forces/exact_force.h"
#include "core/nbody/forces/solver.h"
#include "tests/memory_budget.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

SceneOptions scene(SceneKind kind, std::int64_t bodies) {
  SceneOptions options;
  options.scene = kind;
  options.bodies = bodies;
  return options;
}

Vector3d place(const Bodies& bodies, std::size_t i) {
  return {bodies.x[i], bodies.y[i], bodies.z[i]};
}
Vector3d velocity(const Bodies& bodies, std::size_t i) {
  return {bodies.vx[i], bodies.vy[i], bodies.vz[i]};
}

/// How far the parts of the values below a value are from what they should be, at most, times the root of their
/// number (Kolmogorov, Smirnov): above 1.95 in one of a thousand samples.
double deviation(std::vector<double> values, const std::function<double(double)>& part_below) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    most = std::max(most, std::abs(part_below(values[i]) - (static_cast<double>(i) + 0.5) / count));
  }
  return most * std::sqrt(count);
}

std::vector<double> radii(const Bodies& bodies) {
  std::vector<double> values;
  for (std::size_t i = 0; i < bodies.size(); ++i) values.push_back(place(bodies, i).norm());
  return values;
}

/// Variance of the velocity along the radius, and across it in one direction, of bodies in a shell; and how far
/// the variance of so few may be off, relatively.
struct Dispersions {
  double along, across, error;
};
Dispersions dispersions(const Bodies& bodies, double low, double high) {
  double count = 0, along = 0, all = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double radius = place(bodies, i).norm();
    if (radius < low || radius > high) continue;
    const double radial = velocity(bodies, i).dot(place(bodies, i)) / radius;
    ++count;
    along += radial * radial;
    all += velocity(bodies, i).squaredNorm();
  }
  return {along / count, (all - along) / (2 * count), 3 * std::sqrt(2 / count)};
}

double virial_ratio(const Bodies& bodies) {
  return diagnostics_of(bodies, make_direct_solver()->forces(bodies, {}).potential).virial_ratio();
}

TEST(Scenes, PlummerSphere) {
  const Bodies bodies = make_scene(scene(SceneKind::plummer, 40000)).bodies;
  EXPECT_LT(deviation(radii(bodies), [](double r) { return std::pow(1 + 1 / (r * r), -1.5); }), 1.95);
  for (const double r : {0.3, 1.0, 2.5}) {
    const auto [along, across, error] = dispersions(bodies, 0.9 * r, 1.1 * r);
    const double analytic = 1 / (6 * std::sqrt(1 + r * r));
    EXPECT_NEAR(along, analytic, error * analytic) << r;
    EXPECT_NEAR(across, analytic, error * analytic) << r;
  }
}

TEST(Scenes, HernquistSphere) {
  const Bodies bodies = make_scene(scene(SceneKind::hernquist, 40000)).bodies;
  EXPECT_LT(deviation(radii(bodies), [](double r) { return r * r / ((r + 1) * (r + 1)) / 0.99; }), 1.95);
  for (const double r : {0.1, 0.5, 2.0}) {
    const auto [along, across, error] = dispersions(bodies, 0.9 * r, 1.1 * r);
    // Hernquist 1990, eq. 10.
    const double analytic = (12 * r * std::pow(r + 1, 3) * std::log((r + 1) / r) -
                             r / (r + 1) * (25 + 52 * r + 42 * r * r + 12 * r * r * r)) /
                            12;
    EXPECT_NEAR(along, analytic, error * analytic) << r;
    EXPECT_NEAR(across, analytic, error * analytic) << r;
  }
}

TEST(Scenes, KingModels) {
  struct Model {
    double depth;
    double concentration;        ///< log10 of the tidal over the core radius (King 1966)
    double tenth, half, ninety;  ///< radii that hold these parts of the mass, by a Python program of its own
  };
  for (const auto& [depth, concentration, tenth, half, ninety] : {Model{3, 0.672, 0.5541, 1.2598, 2.4101},
                                                                  {6, 1.255, 0.8941, 2.6475, 7.1073},
                                                                  {9, 2.119, 2.0849, 15.421, 51.890}}) {
    SceneOptions options = scene(SceneKind::king, 30000);
    options.concentration = depth;
    const Bodies bodies = make_scene(options).bodies;
    const std::vector<double> at = radii(bodies);
    for (const auto& [radius, part] : {std::pair{tenth, 0.1}, {half, 0.5}, {ninety, 0.9}}) {
      const auto within = std::ranges::count_if(at, [r = radius](double each) { return each < r; });
      EXPECT_NEAR(static_cast<double>(within) / 30000, part, 3 * std::sqrt(part * (1 - part) / 30000))
          << depth;
    }
    const double end = std::pow(10, concentration);
    EXPECT_LT(std::ranges::max(at), 1.02 * end) << depth;
    EXPECT_GT(std::ranges::max(at), 0.75 * end) << depth;
    EXPECT_NEAR(virial_ratio(bodies), 1, 0.02) << depth;
    const auto [along, across, error] = dispersions(bodies, 0, end);
    EXPECT_NEAR(along, across, error * along) << "isotropic";
  }
}

TEST(Scenes, EvenSphereAndCube) {
  SceneOptions options = scene(SceneKind::collapse, 20000);
  const Bodies cold = make_scene(options).bodies;
  EXPECT_LT(deviation(radii(cold), [](double r) { return std::min(1.0, r * r * r); }), 1.95);
  EXPECT_LT(virial_ratio(cold), 1e-6);
  options.virial = 0.5;
  EXPECT_NEAR(virial_ratio(make_scene(options).bodies), 0.5, 0.02);

  const Bodies cube = make_scene(scene(SceneKind::cube, 20000)).bodies;
  for (const auto* axis : {&cube.x, &cube.y, &cube.z}) {
    EXPECT_LT(deviation(*axis, [](double x) { return std::clamp(x + 0.5, 0.0, 1.0); }), 1.95);
  }
}

/// Bodies of one origin.
Bodies of(const InitialConditions& start, std::uint8_t origin) {
  Bodies found;
  for (std::size_t i = 0; i < start.bodies.size(); ++i) {
    if (start.origin[i] != origin) continue;
    const Bodies& from = start.bodies;
    found.mass.push_back(from.mass[i]);
    found.x.push_back(from.x[i]), found.y.push_back(from.y[i]), found.z.push_back(from.z[i]);
    found.vx.push_back(from.vx[i]), found.vy.push_back(from.vy[i]), found.vz.push_back(from.vz[i]);
  }
  return found;
}

TEST(Scenes, GalaxyIsAnExponentialDiscThatTurnsAsItsGravityWants) {
  SceneOptions options = scene(SceneKind::galaxy, 40000);
  const InitialConditions start = make_scene(options);
  const Bodies disc = of(start, 0);
  ASSERT_EQ(disc.size(), 20000u);
  std::vector<double> across;
  for (std::size_t i = 0; i < disc.size(); ++i) across.push_back(std::hypot(disc.x[i], disc.y[i]));
  const auto part_below = [](double r) { return (1 - (1 + r) * std::exp(-r)) / (1 - 11 * std::exp(-10)); };
  EXPECT_LT(deviation(across, part_below), 1.95);
  // The halo's few bodies far out move the centre of mass away from the middle.
  const double middle_z = std::accumulate(disc.z.begin(), disc.z.end(), 0.0) / 20000;
  EXPECT_LT(deviation(disc.z, [&](double z) { return 0.5 * (1 + std::tanh((z - middle_z) / 0.1)); }), 1.95);

  // At 2.5 scale lengths, from sums over all bodies: circular speed, and from its change the epicycle frequency.
  const auto circular_squared = [&](double radius) {
    Bodies with = start.bodies;
    double sum = 0;
    constexpr int probes = 64;
    for (int i = 0; i < probes; ++i) {
      const double angle = 2 * pi * i / probes;
      Bodies all = with;
      for (auto* values : {&all.mass, &all.z}) values->push_back(0);
      all.x.push_back(radius * std::cos(angle));
      all.y.push_back(radius * std::sin(angle));
      const Vector3d pull = exact_force(all, all.size() - 1, 0.1).acceleration;
      sum -= radius * (pull.x() * std::cos(angle) + pull.y() * std::sin(angle)) / probes;
    }
    return sum;
  };
  const double inside = circular_squared(2), middle = circular_squared(2.5), outside = circular_squared(3);
  double count = 0, mean = 0, radial = 0;
  for (std::size_t i = 0; i < disc.size(); ++i) {
    if (across[i] < 2.3 || across[i] > 2.7) continue;
    ++count;
    mean += (disc.x[i] * disc.vy[i] - disc.y[i] * disc.vx[i]) / across[i];
    const double out = (disc.x[i] * disc.vx[i] + disc.y[i] * disc.vy[i]) / across[i];
    radial += out * out;
  }
  mean /= count;
  radial /= count;
  EXPECT_LT(mean * mean, middle) << "random motion lets it turn more slowly";
  EXPECT_GT(mean * mean, 0.8 * middle);
  // kappa^2 = d(v^2)/dR / R + 2 v^2 / R^2
  const double swing = (outside - inside) / 2.5 + 2 * middle / 6.25;
  const double q = std::sqrt(radial * swing) / (3.36 * std::exp(-2.5) / (2 * pi));
  EXPECT_NEAR(q, options.toomre, 0.12);

  Bodies halo = of(start, 2);
  const double end = 60.0 * 60 / (64 * 64);
  EXPECT_LT(deviation(radii(halo), [&](double r) { return r * r / ((r + 4) * (r + 4)) / end; }), 2.2);
  EXPECT_NEAR(virial_ratio(start.bodies), 1, 0.05);
}

TEST(Scenes, GalaxiesMeetOnTheParabolaThatWasAskedFor) {
  SceneOptions options = scene(SceneKind::encounter, 20000);
  const InitialConditions start = make_scene(options);
  ASSERT_EQ(start.origins.size(), 6u);
  double mass[2] = {};
  Vector3d at[2] = {Vector3d::Zero(), Vector3d::Zero()}, moves[2] = {Vector3d::Zero(), Vector3d::Zero()};
  for (std::size_t i = 0; i < start.bodies.size(); ++i) {
    const int galaxy = start.origin[i] / 3;
    mass[galaxy] += start.bodies.mass[i];
    at[galaxy] += start.bodies.mass[i] * place(start.bodies, i);
    moves[galaxy] += start.bodies.mass[i] * velocity(start.bodies, i);
  }
  EXPECT_NEAR(mass[1] / mass[0], options.mass_ratio, 1e-9);
  const Vector3d between = at[1] / mass[1] - at[0] / mass[0], speed = moves[1] / mass[1] - moves[0] / mass[0];
  const double both = mass[0] + mass[1];
  EXPECT_NEAR(between.norm(), options.separation, 1e-6);
  EXPECT_NEAR(speed.squaredNorm() / 2, both / between.norm(), 1e-6) << "parabolic: no energy";
  EXPECT_NEAR(between.cross(speed).squaredNorm() / (2 * both), options.pericentre, 1e-6);
  EXPECT_LT(speed.dot(between), 0) << "they approach";
  for (const auto& [origin, inclination] :
       {std::pair{0, options.inclination_1}, {3, options.inclination_2}}) {
    const Bodies disc = of(start, static_cast<std::uint8_t>(origin));
    Vector3d turn = Vector3d::Zero();
    const int galaxy = origin / 3;
    for (std::size_t i = 0; i < disc.size(); ++i) {
      turn += (place(disc, i) - at[galaxy] / mass[galaxy])
                  .cross(velocity(disc, i) - moves[galaxy] / mass[galaxy]);
    }
    const double tilt = std::acos(turn.normalized().dot(between.cross(speed).normalized())) * 180 / pi;
    EXPECT_NEAR(tilt, inclination, 1.5) << origin;
  }
  options.separation = options.pericentre = 2;
  EXPECT_THROW(make_scene(options), Error);
}

TEST(Scenes, PlanetsAreWhereEphemeridesHaveThem) {
  const InitialConditions start = make_scene(scene(SceneKind::solar_system, 1));
  const auto from_sun = [&](std::size_t i) -> Vector3d {
    return place(start.bodies, i) - place(start.bodies, 0);
  };
  ASSERT_EQ(start.bodies.size(), 10u);
  // The Sun's ecliptic longitude on 2000 January 1, 12 h, is 280.38 degrees, its distance 0.98333 AU.
  const Vector3d earth = from_sun(3);
  EXPECT_NEAR(earth.norm(), 0.98333, 2e-4);
  EXPECT_NEAR(std::atan2(earth.y(), earth.x()) * 180 / pi, 100.38, 0.02);
  // JPL's DE ephemerides, to three digits after the point.
  EXPECT_LT((from_sun(5) - Vector3d(4.001, 2.939, -0.102)).norm(), 0.01);
  EXPECT_LT((from_sun(6) - Vector3d(6.406, 6.570, -0.369)).norm(), 0.03)
      << "the elements are good to 10 minutes of arc";
  EXPECT_LT((from_sun(8) - Vector3d(16.812, -24.992, 0.127)).norm(), 0.05);
  // Vis viva.
  for (const std::size_t i : {1u, 3u, 5u, 9u}) {
    const double speed = (velocity(start.bodies, i) - velocity(start.bodies, 0)).norm();
    const double axis = 1 / (2 / from_sun(i).norm() - speed * speed / (1 + start.bodies.mass[i]));
    EXPECT_NEAR(axis, i == 1 ? 0.387098 : i == 3 ? 1.000003 : i == 5 ? 5.2026 : 39.482, 1e-3 * axis) << i;
  }
}

TEST(Scenes, SameSeedSameBodiesOnAnyNumberOfThreads) {
  for (const SceneKind kind : {SceneKind::plummer, SceneKind::king, SceneKind::hernquist, SceneKind::galaxy,
                               SceneKind::encounter, SceneKind::cube, SceneKind::collapse}) {
    SceneOptions options = scene(kind, 1000);
    InitialConditions one, many;
    tbb::task_arena(1).execute([&] { one = make_scene(options); });
    tbb::task_arena(7).execute([&] { many = make_scene(options); });
    EXPECT_EQ(one.bodies.x, many.bodies.x);
    EXPECT_EQ(one.bodies.vy, many.bodies.vy);
    options.seed = 2;
    EXPECT_NE(make_scene(options).bodies.x, one.bodies.x);
    EXPECT_EQ(one.bodies.size(), 1000u);
    const Diagnostics found = diagnostics_of(one.bodies, std::vector<double>(1000));
    EXPECT_LT(found.centre_of_mass.norm(), 1e-12);
    EXPECT_LT(found.momentum.norm(), 1e-12);
    check(one);
  }
}

TEST(Scenes, MoreBodiesThanMemoryAreRefused) {
  for (const SceneKind kind : {SceneKind::plummer, SceneKind::encounter, SceneKind::ring}) {
    {
      const isolume::testing::MemoryBudget budget("80KiB");
      EXPECT_THROW(make_scene(scene(kind, 1000)), ResourceError);
    }
    const isolume::testing::MemoryBudget budget("128KiB");
    EXPECT_EQ(make_scene(scene(kind, 1000)).bodies.size(), 1000u);
  }
  const isolume::testing::MemoryBudget wrong("a lot");
  EXPECT_THROW(make_scene(scene(SceneKind::plummer, 10)), Error) << "it is no size";
}

TEST(Scenes, RefuseWhatMakesNoSense) {
  EXPECT_THROW(make_scene(scene(SceneKind::plummer, 0)), Error);
  EXPECT_THROW(make_scene(scene(SceneKind::galaxy, 5)), Error);
  EXPECT_THROW(make_scene(scene(SceneKind::plummer, std::int64_t{1} << 62)), Error);
  SceneOptions options = scene(SceneKind::king, 100);
  options.concentration = std::nan("");
  EXPECT_THROW(make_scene(options), Error);
  EXPECT_EQ(make_scene(scene(SceneKind::plummer, 1)).bodies.size(), 1u);
}

}  // namespace
}  // namespace isolume::nbody
