#include "app/bodies/frame_bodies.h"

namespace isolume::bodies {

nbody::Bodies bodies_of(const nbody::NBodyFrame& frame) {
  nbody::Bodies bodies;
  const std::vector<float>& positions = frame.positions.host();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    bodies.mass.push_back(frame.labels->mass[i]);
    bodies.x.push_back(positions[3 * i]);
    bodies.y.push_back(positions[3 * i + 1]);
    bodies.z.push_back(positions[3 * i + 2]);
  }
  return bodies;
}

nbody::Bodies moving_bodies_of(const nbody::NBodyFrame& frame) {
  nbody::Bodies bodies = bodies_of(frame);
  const std::vector<float>& velocities = frame.velocities.host();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    bodies.vx.push_back(velocities[3 * i]);
    bodies.vy.push_back(velocities[3 * i + 1]);
    bodies.vz.push_back(velocities[3 * i + 2]);
  }
  return bodies;
}

}  // namespace isolume::bodies
