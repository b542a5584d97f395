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

}  // namespace isolume::bodies
