#include "app/labs/nbody/probe_readings.h"

#include <array>
#include <cmath>
#include <numbers>

#include "app/bodies/frame_bodies.h"
#include "core/nbody/engines/probed_force.h"

namespace isolume::labs::nbody {
namespace {

using isolume::nbody::EngineRegistry;
using isolume::nbody::NBodyFrame;
using isolume::nbody::ProbedForce;

std::array<double, 3> numbers(const Eigen::Vector3d& vector) {
  return {vector.x(), vector.y(), vector.z()};
}

/// Sums are of comoving places: the peculiar potential is 1/a of theirs, and its gradient by physical lengths 1/a of that.
nlohmann::json reading_of(const ProbedForce& found, const NBodyFrame& frame) {
  const double a = frame.scale_factor();
  nlohmann::json reading{{"acceleration", numbers(found.acceleration / (a * a))},
                         {"exact_acceleration", numbers(found.exact.acceleration / (a * a))},
                         {"exact_potential", found.exact.potential / a},
                         {"force_error", nullptr}};
  if (const auto error = found.error()) reading["force_error"] = *error;
  return reading;
}

/// JSON has no number for what is infinite or undefined.
nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

nlohmann::json orbit_of(const NBodyFrame& frame, std::size_t number, isolume::nbody::OrbitAbout about) {
  const auto& labels = *frame.labels;
  if (labels.box || frame.velocities.empty()) return nullptr;
  const auto bodies = bodies::moving_bodies_of(frame);
  const auto primary = primary_of(bodies, number, about);
  if (!primary) return nullptr;
  const Eigen::Vector3d place = Eigen::Vector3d(bodies.x[number], bodies.y[number], bodies.z[number]),
                        velocity = Eigen::Vector3d(bodies.vx[number], bodies.vy[number], bodies.vz[number]);
  if (place == primary->place) return nullptr;
  const auto orbit = isolume::nbody::orbital_elements(place - primary->place, velocity - primary->velocity,
                                                      primary->mass + bodies.mass[number]);
  const auto degrees = [](double radians) { return finite_or_null(radians * 180 / std::numbers::pi); };
  nlohmann::json reading{{"about", "barycentre of all other bodies"},
                         {"about_origin", nullptr},
                         {"about_mass", primary->mass},
                         {"kind", orbit.bound()               ? "ellipse"
                                  : orbit.semi_major_axis < 0 ? "hyperbola"
                                                              : "parabola"},
                         {"semi_major_axis", finite_or_null(orbit.semi_major_axis)},
                         {"eccentricity", orbit.eccentricity},
                         {"inclination", degrees(orbit.inclination)},
                         {"ascending_node", degrees(orbit.ascending_node)},
                         {"argument_of_pericentre", degrees(orbit.argument_of_pericentre)},
                         {"true_anomaly", degrees(orbit.true_anomaly)},
                         {"mean_anomaly", degrees(orbit.mean_anomaly)},
                         {"period", finite_or_null(orbit.period)},
                         {"pericentre", orbit.pericentre},
                         {"apocentre", finite_or_null(orbit.apocentre)}};
  if (primary->body) {
    reading["about"] = "body " + std::to_string(labels.id[*primary->body]);
    reading["about_origin"] = labels.origins[labels.origin[*primary->body]];
  }
  return reading;
}

nlohmann::json force_on(const NBodyFrame& frame, std::size_t number, const EngineRegistry& engines,
                        const jobs::Progress& progress) {
  return reading_of(probed_force(engines, bodies::bodies_of(frame), number, frame.options, progress), frame);
}

nlohmann::json force_at(const NBodyFrame& frame, const Eigen::Vector3d& place, const EngineRegistry& engines,
                        const jobs::Progress& progress) {
  const ProbedForce found =
      probed_force(engines, bodies::bodies_of(frame), place - frame.centre, frame.options, progress);
  nlohmann::json reading = reading_of(found, frame);
  reading["place"] = numbers(place);
  reading["potential"] = found.potential / frame.scale_factor();
  reading["step"] = frame.step;
  reading["time"] = frame.time;
  if (frame.labels->box) reading["scale_factor"] = frame.scale_factor();
  return reading;
}

}  // namespace isolume::labs::nbody
