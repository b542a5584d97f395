#include "app/labs/nbody/probe_readings.h"

#include <array>

#include "app/bodies/frame_bodies.h"
#include "core/nbody/probed_force.h"

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

}  // namespace

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
