#include "core/nbody/bodies/orbital_elements.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/scenes/scenes.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;

constexpr double pi = std::numbers::pi, degree = pi / 180;
constexpr double infinite = std::numeric_limits<double>::infinity();

struct Angles {
  double inclination, node, argument;  ///< degrees
};

Vector3d turned(const Angles& angles, const Vector3d& in_plane) {
  return Eigen::AngleAxisd(angles.node * degree, Vector3d::UnitZ()) *
         (Eigen::AngleAxisd(angles.inclination * degree, Vector3d::UnitX()) *
          (Eigen::AngleAxisd(angles.argument * degree, Vector3d::UnitZ()) * in_plane));
}

void expect_angles(const OrbitalElements& found, const Angles& expected, double tolerance) {
  EXPECT_NEAR(found.inclination / degree, expected.inclination, tolerance);
  EXPECT_NEAR(found.ascending_node / degree, expected.node, tolerance);
  EXPECT_NEAR(found.argument_of_pericentre / degree, expected.argument, tolerance);
}

/// D. A. Vallado, Fundamentals of Astrodynamics and Applications, example 2-5; km and s, about the Earth.
TEST(OrbitalElements, AreThoseOfVallado) {
  const auto found =
      orbital_elements({6524.834, 6862.875, 6448.296}, {4.901327, 5.533756, -1.976341}, 398600.4418);
  EXPECT_NEAR(found.semi_major_axis, 36127.343, 0.05);
  EXPECT_NEAR(found.eccentricity, 0.832853, 1e-6);
  expect_angles(found, {87.870, 227.898, 53.38}, 6e-3);
  EXPECT_NEAR(found.true_anomaly / degree, 92.335, 1e-3);
  EXPECT_NEAR(found.pericentre * (1 + found.eccentricity), 11067.790, 0.01) << "the semi-latus rectum";
}

/// H. D. Curtis, Orbital Mechanics for Engineering Students, example 4.3: retrograde, about the Earth.
TEST(OrbitalElements, AreThoseOfCurtis) {
  const auto found = orbital_elements({-6045, -3490, 2500}, {-3.457, 6.618, 2.533}, 398600);
  EXPECT_NEAR(found.semi_major_axis, 8788, 1);
  EXPECT_NEAR(found.eccentricity, 0.1712, 5e-5);
  expect_angles(found, {153.2, 255.3, 20.07}, 0.06);
  EXPECT_NEAR(found.true_anomaly / degree, 28.45, 0.01);
  EXPECT_NEAR(found.period / 3600, 2.278, 1e-3);
}

/// Kepler's ellipse of eccentricity 0.9, by its parametric form.
TEST(OrbitalElements, OfAnEllipseAreThoseThatItWasMadeFrom) {
  constexpr double a = 2.5, e = 0.9, mass = 3;
  const Angles angles{37, 211, 305};
  for (const double eccentric : {1e-3, 0.4, 1.9, pi, 4.0, 6.2}) {
    const double rate = std::sqrt(mass / (a * a * a)) / (1 - e * std::cos(eccentric)),
                 b = a * std::sqrt(1 - e * e);
    const auto found = orbital_elements(
        turned(angles, {a * (std::cos(eccentric) - e), b * std::sin(eccentric), 0}),
        turned(angles, {-a * rate * std::sin(eccentric), b * rate * std::cos(eccentric), 0}), mass);
    EXPECT_NEAR(found.semi_major_axis, a, 1e-11);
    EXPECT_NEAR(found.eccentricity, e, 1e-12);
    expect_angles(found, angles, 1e-9);
    EXPECT_NEAR(found.mean_anomaly, eccentric - e * std::sin(eccentric), 1e-10);
    const double half = std::sqrt((1 + e) / (1 - e)) * std::tan(eccentric / 2);
    EXPECT_NEAR(std::remainder(found.true_anomaly - 2 * std::atan(half), 2 * pi), 0, 1e-9);
    EXPECT_NEAR(found.period, 2 * pi * std::sqrt(a * a * a / mass), 1e-10);
    EXPECT_NEAR(found.pericentre, 0.25, 1e-12);
    EXPECT_NEAR(found.apocentre, 4.75, 1e-11);
    EXPECT_TRUE(found.bound());
    EXPECT_LT((place_on_ellipse(found, eccentric) -
               turned(angles, {a * (std::cos(eccentric) - e), b * std::sin(eccentric), 0}))
                  .norm(),
              1e-11);
  }
}

TEST(OrbitalElements, OfAHyperbolaHaveNoPeriod) {
  constexpr double a = 1.5, e = 2.2, mass = 0.7;
  const Angles angles{120, 15, 80};
  for (const double h : {-2.0, -0.3, 1.1}) {
    const double speed = std::sqrt(mass / a) / (e * std::cosh(h) - 1), b = std::sqrt(e * e - 1);
    const auto found =
        orbital_elements(turned(angles, {a * (e - std::cosh(h)), a * b * std::sinh(h), 0}),
                         turned(angles, {-speed * std::sinh(h), speed * b * std::cosh(h), 0}), mass);
    EXPECT_NEAR(found.semi_major_axis, -a, 1e-11);
    EXPECT_NEAR(found.eccentricity, e, 1e-11);
    expect_angles(found, angles, 1e-9);
    EXPECT_NEAR(found.mean_anomaly, e * std::sinh(h) - h, 1e-10);
    EXPECT_NEAR(found.pericentre, a * (e - 1), 1e-11);
    EXPECT_EQ(found.period, infinite);
    EXPECT_EQ(found.apocentre, infinite);
    EXPECT_FALSE(found.bound());
  }
}

TEST(OrbitalElements, OfSpecialOrbitsAreDefinedAsFarAsTheyCanBe) {
  const auto circle = orbital_elements({0, 2, 0}, {-std::sqrt(0.5), 0, 0}, 1);
  EXPECT_NEAR(circle.semi_major_axis, 2, 1e-14);
  EXPECT_NEAR(circle.eccentricity, 0, 1e-14);
  EXPECT_EQ(circle.inclination, 0);
  EXPECT_EQ(circle.ascending_node, 0);
  EXPECT_EQ(circle.argument_of_pericentre, 0);
  EXPECT_NEAR(circle.true_anomaly, pi / 2, 1e-14) << "from the x axis";
  EXPECT_NEAR(circle.mean_anomaly, pi / 2, 1e-14);
  const auto backwards = orbital_elements({1, 0, 0}, {0, -1.1, 0}, 1);
  EXPECT_NEAR(backwards.inclination, pi, 1e-14);
  // A parabola at a right angle to its axis: the distance is twice that of the pericentre.
  const auto parabola = orbital_elements({0, 2, 0}, {-1 / std::sqrt(2.0), 1 / std::sqrt(2.0), 0}, 1);
  EXPECT_NEAR(parabola.eccentricity, 1, 1e-14);
  EXPECT_NEAR(parabola.pericentre, 1, 1e-14);
  EXPECT_FALSE(parabola.bound());
  EXPECT_EQ(parabola.semi_major_axis, infinite);
  EXPECT_NEAR(parabola.mean_anomaly, 1 + 1 / 3.0, 1e-14) << "Barker's equation at a right angle";
  // Thrown straight up from 1 so that it turns at 2.
  const auto line = orbital_elements({1, 0, 0}, {1, 0, 0}, 1);
  EXPECT_NEAR(line.apocentre, 2, 1e-14);
  EXPECT_EQ(line.eccentricity, 1);
  EXPECT_EQ(line.pericentre, 0);
  EXPECT_TRUE(std::isnan(line.inclination));
  EXPECT_NEAR(line.mean_anomaly, pi / 2 - 1, 1e-14) << "E is a right angle half way up";
  EXPECT_THROW(orbital_elements({0, 0, 0}, {1, 0, 0}, 1), Error);
  EXPECT_THROW(orbital_elements({1, 0, 0}, {1, 0, 0}, 0), Error);
}

/// E. M. Standish's elements of 2000 January 1, 12 h (JPL Solar System Dynamics, table 1): a, e, i and the longitudes of
/// the pericentre and of the node, and the mean longitude.
TEST(OrbitalElements, OfPlanetsAreThosePublished) {
  struct Published {
    std::size_t body;
    double a, e, inclination, mean_longitude, pericentre, node;
  };
  SceneOptions options;
  options.scene = SceneKind::solar_system;
  const Bodies bodies = make_scene(options).bodies;
  for (const Published& each :
       {Published{1, 0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593},
        Published{5, 5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909},
        Published{9, 39.48211675, 0.24882730, 17.14001206, 238.92903833, 224.06891629, 110.30393684}}) {
    const auto primary = primary_of(bodies, each.body, OrbitAbout::tightest);
    ASSERT_TRUE(primary && primary->body);
    EXPECT_EQ(*primary->body, 0U) << "the Sun";
    const std::size_t i = each.body;
    const auto found =
        orbital_elements(Vector3d(bodies.x[i], bodies.y[i], bodies.z[i]) - primary->place,
                         Vector3d(bodies.vx[i], bodies.vy[i], bodies.vz[i]) - primary->velocity,
                         primary->mass + bodies.mass[i]);
    EXPECT_NEAR(found.semi_major_axis, each.a, 1e-8 * each.a);
    EXPECT_NEAR(found.eccentricity, each.e, 1e-9);
    expect_angles(found, {each.inclination, each.node, std::fmod(each.pericentre - each.node + 360, 360)},
                  1e-7);
    EXPECT_NEAR(std::remainder(found.mean_anomaly / degree - (each.mean_longitude - each.pericentre), 360), 0,
                1e-7);
  }
}

TEST(OrbitalElements, AreAboutTheBodyThatBindsTightest) {
  // Sun, Earth and Moon in au, solar masses and years / 2 pi; all on circles.
  constexpr double earth = 3.003e-6, moon = 3.694e-8, distance = 0.00257;
  Bodies bodies;
  bodies.mass = {1, earth, moon};
  bodies.x = {0, 1, 1 + distance};
  bodies.y = bodies.z = bodies.vx = bodies.vz = {0, 0, 0};
  bodies.vy = {0, 1, 1 + std::sqrt((earth + moon) / distance)};
  const auto of = [&](std::size_t body, OrbitAbout about) { return primary_of(bodies, body, about).value(); };
  EXPECT_EQ(of(2, OrbitAbout::tightest).body, 1U) << "not the Sun";
  EXPECT_EQ(of(1, OrbitAbout::tightest).body, 0U) << "not the Moon, which is lighter";
  EXPECT_EQ(of(0, OrbitAbout::tightest).body, std::nullopt) << "nothing is heavier";
  const auto others = of(0, OrbitAbout::barycentre);
  EXPECT_NEAR(others.mass, earth + moon, 1e-18);
  EXPECT_NEAR(others.place.x(), 1 + distance * moon / (earth + moon), 1e-14);
  bodies.vy[2] = 3;  // it leaves both
  EXPECT_EQ(of(2, OrbitAbout::tightest).body, std::nullopt);
  bodies.mass = {0, 0, 1};
  EXPECT_FALSE(primary_of(bodies, 2, OrbitAbout::tightest)) << "nothing else attracts";
}

}  // namespace
}  // namespace isolume::nbody
