#include "app/bodies/orbit_lines.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/bodies/frame_bodies.h"
#include "core/nbody/bodies/orbital_elements.h"

namespace isolume::bodies {

std::vector<std::vector<Eigen::Vector3f>> orbit_lines(const nbody::NBodyFrame& frame,
                                                      std::span<const nbody::NamedBody> named) {
  constexpr std::size_t most_bodies = 10000, most_orbits = 200;
  constexpr int parts = 240;
  std::vector<std::vector<Eigen::Vector3f>> lines;
  if (named.empty() || frame.labels->box || frame.velocities.empty() || frame.size() > most_bodies)
    return lines;
  const auto bodies = moving_bodies_of(frame);
  for (const auto& each : named.first(std::min(named.size(), most_orbits))) {
    const std::size_t i = each.body;
    const auto primary = primary_of(bodies, i, nbody::OrbitAbout::tightest);
    if (!primary || !primary->body) continue;
    const Eigen::Vector3d place(bodies.x[i], bodies.y[i], bodies.z[i]),
        velocity(bodies.vx[i], bodies.vy[i], bodies.vz[i]);
    const auto orbit = nbody::orbital_elements(place - primary->place, velocity - primary->velocity,
                                               primary->mass + bodies.mass[i]);
    if (!orbit.bound() || std::isnan(orbit.inclination)) continue;
    auto& line = lines.emplace_back();
    for (int part = 0; part <= parts; ++part)
      line.emplace_back(
          (place_on_ellipse(orbit, 2 * std::numbers::pi * part / parts) + primary->place).cast<float>());
  }
  return lines;
}

}  // namespace isolume::bodies
