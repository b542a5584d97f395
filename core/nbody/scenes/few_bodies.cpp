#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "core/nbody/scenes/scene_parts.h"

namespace isolume::nbody {

using Eigen::Vector3d;
using std::numbers::pi;

namespace {

/// Kepler orbit about a mass at the origin; angles in degrees.
struct Elements {
  double semi_major_axis, eccentricity, inclination, mean_longitude, longitude_of_perihelion, node;
};

double radians(double degrees) {
  return degrees * pi / 180;
}

BodyState on_orbit(const Elements& orbit, double mass) {
  const double mean = std::remainder(radians(orbit.mean_longitude - orbit.longitude_of_perihelion), 2 * pi);
  const double e = orbit.eccentricity, a = orbit.semi_major_axis;
  double anomaly = mean;
  for (int i = 0; i < 50; ++i) {  // solves Kepler's equation by Newton's method
    anomaly -= (anomaly - e * std::sin(anomaly) - mean) / (1 - e * std::cos(anomaly));
  }
  const double across = std::sqrt(1 - e * e),
               rate = std::sqrt(mass / (a * a * a)) / (1 - e * std::cos(anomaly));
  const Vector3d place(a * (std::cos(anomaly) - e), a * across * std::sin(anomaly), 0);
  const Vector3d velocity(-a * rate * std::sin(anomaly), a * rate * across * std::cos(anomaly), 0);
  const Eigen::Matrix3d turn =
      (Eigen::AngleAxisd(radians(orbit.node), Vector3d::UnitZ()) *
       Eigen::AngleAxisd(radians(orbit.inclination), Vector3d::UnitX()) *
       Eigen::AngleAxisd(radians(orbit.longitude_of_perihelion - orbit.node), Vector3d::UnitZ()))
          .toRotationMatrix();
  return {turn * place, turn * velocity};
}

}  // namespace

namespace {

/// Close encounters and escapes are decided by short steps, which are cheap for few bodies.
constexpr FewBodySteps few_body_steps{.dt = 0.01, .accuracy = 1e-5};
/// A bound pair stays on its orbit; at the pericentre of an eccentric one, rounding would decide the next step if
/// steps were as short as above.
constexpr FewBodySteps steps_of_pair{.dt = 0.01, .accuracy = 1e-3};

/// Circles of more bodies use softened gravity: like all circles of equal bodies, they break up into clumps, with
/// encounters for which no step is short enough.
constexpr std::size_t most_unsoftened_on_circle = 3;

}  // namespace

InitialConditions binary(double eccentricity) {
  InitialConditions start;
  const BodyState orbit = on_orbit({1, eccentricity, 0, 0, 0, 0}, 1);
  add_body(0.5, {0.5 * orbit.place, 0.5 * orbit.velocity}, start.bodies);
  add_body(0.5, {-0.5 * orbit.place, -0.5 * orbit.velocity}, start.bodies);
  start.time_step = 0.001;
  start.few_body_steps = steps_of_pair;
  return start;
}

InitialConditions three_bodies(SceneKind kind) {
  InitialConditions start;
  start.time_step = 0.001;
  start.few_body_steps = few_body_steps;
  if (kind == SceneKind::figure_eight) {
    // Chenciner, Montgomery, Ann. Math. 152, 881 (2000), with numbers by C. Simo given there. The period is
    // 6.32591398.
    const Vector3d place(0.97000436, -0.24308753, 0), velocity(-0.93240737, -0.86473146, 0);
    add_body(1, {place, -0.5 * velocity}, start.bodies);
    add_body(1, {-place, -0.5 * velocity}, start.bodies);
    add_body(1, {Vector3d::Zero(), velocity}, start.bodies);
    return start;
  }
  start.time_step = 0.0001;
  // Suvakov, Dmitrasinovic, Phys. Rev. Lett. 110, 114301 (2013), table I: butterfly I, moth I, yin-yang I a, with
  // periods of 6.23467483873, 14.8943051750 and 17.3288340186. The five digits given there were improved by Newton's
  // method until bodies returned to within 1e-12; deviations from the butterfly or the yin-yang double in each
  // period.
  const Vector3d velocity = kind == SceneKind::butterfly ? Vector3d(0.306893420464, 0.125506567015, 0)
                            : kind == SceneKind::moth    ? Vector3d(0.464445172818, 0.396060014653, 0)
                                                         : Vector3d(0.513938537460, 0.304735919347, 0);
  add_body(1, {-Vector3d::UnitX(), velocity}, start.bodies);
  add_body(1, {Vector3d::UnitX(), velocity}, start.bodies);
  add_body(1, {Vector3d::Zero(), -2 * velocity}, start.bodies);
  return start;
}

InitialConditions ring(std::size_t bodies) {
  InitialConditions start;
  const double count = static_cast<double>(bodies);
  if (bodies > most_unsoftened_on_circle) {
    start.softening = usual_softening(bodies);
    start.time_step = 0.01;
  } else {
    start.time_step = 0.001;
    start.few_body_steps = few_body_steps;
  }
  // Pull of the others towards the middle of a circle of radius 1: for a body at distance d, its component towards
  // the middle is d / 2 of its magnitude.
  double pull = 0;
  for (std::size_t k = 1; k < bodies; ++k) {
    const double distance = 2 * std::sin(pi * static_cast<double>(k) / count);
    pull += 0.5 * distance * distance / std::pow(std::hypot(distance, start.softening), 3);
  }
  const double speed = std::sqrt(pull / count);
  for (std::size_t i = 0; i < bodies; ++i) {
    const double angle = 2 * pi * static_cast<double>(i) / count;
    const Vector3d out(std::cos(angle), std::sin(angle), 0);
    add_body(1 / count, {out, speed * Vector3d::UnitZ().cross(out)}, start.bodies);
  }
  return start;
}

namespace {

struct Planet {
  const char* name;
  double sun_masses;  ///< ratio of the Sun's mass to the planet's
  double radius_km;   ///< mean radius
  Elements elements;
};

/// Keplerian elements of J2000 and the ecliptic by E. M. Standish, "Keplerian elements for approximate positions of
/// the major planets", JPL Solar System Dynamics, table 1 (1800 to 2050); Earth with the Moon. Masses: IAU 2009
/// system of astronomical constants. Mean radii: Archinal et al., Celest. Mech. Dyn. Astron. 130, 22 (2018), table 4
/// (IAU working group), for the Earth without the Moon; Pluto's by Nimmo et al., Icarus 287, 12 (2017).
constexpr std::array planets{
    Planet{"Mercury",
           6.0236e6,
           2439.4,
           {0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593}},
    Planet{"Venus",
           4.08523719e5,
           6051.8,
           {0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255}},
    Planet{"Earth and Moon",
           3.28900561e5,
           6371.0084,
           {1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0}},
    Planet{"Mars",
           3.09870359e6,
           3389.5,
           {1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891}},
    Planet{"Jupiter",
           1.047348644e3,
           69911,
           {5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909}},
    Planet{"Saturn",
           3.4979018e3,
           58232,
           {9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448}},
    Planet{"Uranus",
           2.290298e4,
           25362,
           {19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503}},
    Planet{"Neptune",
           1.941226e4,
           24622,
           {30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574}},
    Planet{"Pluto",
           1.36566e8,
           1188.3,
           {39.48211675, 0.24882730, 17.14001206, 238.92903833, 224.06891629, 110.30393684}}};

}  // namespace

InitialConditions solar_system() {
  InitialConditions start;
  start.origins = {"Sun"};
  add_body(1, {Vector3d::Zero(), Vector3d::Zero()}, start.bodies);
  start.origin = {0};
  constexpr double sun_km = 695700, km = 1e5 / astronomical_unit;  // IAU 2015 resolution B3
  start.radius = {sun_km * km};
  for (const Planet& planet : planets) {
    const double mass = 1 / planet.sun_masses;
    add_body(mass, on_orbit(planet.elements, 1 + mass), start.bodies);
    start.origin.push_back(static_cast<std::uint8_t>(start.origins.size()));
    start.origins.emplace_back(planet.name);
    start.radius.push_back(planet.radius_km * km);
  }
  centre(start.bodies);
  start.units = solar_system_units();
  start.time_step = 2 * pi / 365.25;  // about a day: a year is 2 pi
  return start;
}

}  // namespace isolume::nbody
