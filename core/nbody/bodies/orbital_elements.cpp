#include "core/nbody/bodies/orbital_elements.h"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "core/base/error.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// Below this, a direction derived from a small number is rounding error.
constexpr double smallest = 1e-12;

double whole_turn(double angle) {
  constexpr double turn = 2 * std::numbers::pi;
  const double positive = std::fmod(angle, turn) + (angle < 0 ? turn : 0);
  return positive >= turn ? 0 : positive;
}

/// Angle from one unit vector to another, counter-clockwise about `axis`.
double angle_between(const Vector3d& from, const Vector3d& to, const Vector3d& axis) {
  return whole_turn(std::atan2(axis.dot(from.cross(to)), from.dot(to)));
}

void set_directions(const Vector3d& place, const Vector3d& momentum, const Vector3d& towards_pericentre,
                    OrbitalElements& orbit) {
  const Vector3d axis = momentum.normalized(), out = place.normalized();
  const Vector3d across = Vector3d::UnitZ().cross(axis);
  orbit.inclination = std::atan2(across.norm(), axis.z());
  const Vector3d node =
      across.norm() > smallest ? Vector3d(across.normalized()) : Vector3d(Vector3d::UnitX());
  const Vector3d pericentre =
      orbit.eccentricity > smallest ? Vector3d(towards_pericentre.normalized()) : node;
  orbit.ascending_node = whole_turn(std::atan2(node.y(), node.x()));
  orbit.argument_of_pericentre = angle_between(node, pericentre, axis);
  orbit.true_anomaly = angle_between(pericentre, out, axis);
}

/// `outward`: dot product of position and velocity.
double mean_anomaly(const OrbitalElements& orbit, double distance, double outward, double attraction) {
  const double a = orbit.semi_major_axis, e = orbit.eccentricity;
  if (std::isinf(a)) {
    if (std::isnan(orbit.inclination)) return undefined;  // along a line
    const double barker = std::tan(orbit.true_anomaly / 2);
    return barker + barker * barker * barker / 3;
  }
  const double sine = outward / std::sqrt(attraction * std::abs(a));  // e sin E, or e sinh H
  if (a < 0) return sine - std::asinh(sine / e);
  if (e <= smallest) return orbit.true_anomaly;
  return whole_turn(std::atan2(sine, 1 - distance / a) - sine);
}

}  // namespace

OrbitalElements orbital_elements(const Vector3d& place, const Vector3d& velocity, double attraction) {
  const double distance = place.norm();
  if (!(distance > 0 && attraction > 0) || !std::isfinite(distance) || !velocity.allFinite() ||
      !std::isfinite(attraction)) {
    throw Error("An orbit needs two bodies with mass at different positions.");
  }
  OrbitalElements orbit;
  const double binding = attraction / distance, sum = velocity.squaredNorm() / 2 - binding;
  const double energy = std::abs(sum) <= smallest * binding ? 0 : sum;
  const Vector3d momentum = place.cross(velocity);
  const Vector3d towards_pericentre = velocity.cross(momentum) / attraction - place / distance;
  const double parameter = momentum.squaredNorm() / attraction;
  const bool along_a_line = momentum.norm() <= smallest * distance * velocity.norm();
  orbit.eccentricity = along_a_line ? 1 : towards_pericentre.norm();
  orbit.semi_major_axis = energy == 0 ? infinite : -attraction / (2 * energy);
  const double a = orbit.semi_major_axis;
  orbit.pericentre = parameter / (1 + orbit.eccentricity);
  orbit.apocentre = energy < 0 ? a * (1 + orbit.eccentricity) : infinite;
  orbit.period = energy < 0 ? 2 * std::numbers::pi * std::sqrt(a * a * a / attraction) : infinite;
  if (along_a_line) {
    orbit.inclination = orbit.ascending_node = orbit.argument_of_pericentre = undefined;
    orbit.true_anomaly = std::numbers::pi;  // the pericentre coincides with the primary
  } else {
    set_directions(place, momentum, towards_pericentre, orbit);
  }
  orbit.mean_anomaly = mean_anomaly(orbit, distance, place.dot(velocity), attraction);
  return orbit;
}

Vector3d place_on_ellipse(const OrbitalElements& orbit, double eccentric_anomaly) {
  const double a = orbit.semi_major_axis, e = orbit.eccentricity;
  const Vector3d in_plane(a * (std::cos(eccentric_anomaly) - e),
                          a * std::sqrt(1 - e * e) * std::sin(eccentric_anomaly), 0);
  return Eigen::AngleAxisd(orbit.ascending_node, Vector3d::UnitZ()) *
         (Eigen::AngleAxisd(orbit.inclination, Vector3d::UnitX()) *
          (Eigen::AngleAxisd(orbit.argument_of_pericentre, Vector3d::UnitZ()) * in_plane));
}

namespace {

Vector3d place_of(const Bodies& bodies, std::size_t i) {
  return {bodies.x[i], bodies.y[i], bodies.z[i]};
}

Vector3d velocity_of(const Bodies& bodies, std::size_t i) {
  return bodies.vx.empty() ? Vector3d(0, 0, 0) : Vector3d(bodies.vx[i], bodies.vy[i], bodies.vz[i]);
}

std::optional<std::size_t> tightest(const Bodies& bodies, std::size_t body) {
  const Vector3d place = place_of(bodies, body), velocity = velocity_of(bodies, body);
  std::optional<std::size_t> found;
  double least = infinite;  // the period of an orbit increases with a^3 / attraction
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i == body || bodies.mass[i] < bodies.mass[body] || bodies.mass[i] == 0) continue;
    const double attraction = bodies.mass[i] + bodies.mass[body];
    const double distance = (place_of(bodies, i) - place).norm();
    const double energy = (velocity_of(bodies, i) - velocity).squaredNorm() / 2 - attraction / distance;
    if (!(energy < 0) || distance == 0) continue;
    const double axis = -attraction / (2 * energy), measure = axis * axis * axis / attraction;
    if (measure >= least) continue;
    least = measure;
    found = i;
  }
  return found;
}

}  // namespace

std::optional<Primary> primary_of(const Bodies& bodies, std::size_t body, OrbitAbout about) {
  if (about == OrbitAbout::tightest) {
    if (const auto found = tightest(bodies, body)) {
      return Primary{found, bodies.mass[*found], place_of(bodies, *found), velocity_of(bodies, *found)};
    }
  }
  Primary all;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i == body) continue;
    all.mass += bodies.mass[i];
    all.place += bodies.mass[i] * place_of(bodies, i);
    all.velocity += bodies.mass[i] * velocity_of(bodies, i);
  }
  if (!(all.mass > 0)) return std::nullopt;
  all.place /= all.mass;
  all.velocity /= all.mass;
  if (all.place == place_of(bodies, body)) return std::nullopt;
  return all;
}

}  // namespace isolume::nbody
