#pragma once

#include <glm/vec3.hpp>

#include "app/opengl/points.h"

namespace isolume::stage {

/// A camera that orbits a focal point and can also fly, moving the focal point with it; z is up. Lengths are
/// in the scene's unit, angles in radians.
class Camera {
 public:
  glm::vec3 focus{0, 0, 0};
  float distance = 1;
  float azimuth = 0;    ///< of its position as seen from the focus: 0 towards +x, a quarter turn towards +y
  float elevation = 0;  ///< above the xy plane, within a quarter turn
  float field_of_view = 0.8F;  ///< vertical

  /// Orbits the focus; stays upright and never passes over the poles.
  void turn(float azimuths, float elevations);
  /// Divides the distance to the focus by this factor.
  void zoom(float factor);
  /// Moves focus and camera together to the camera's right, up and forward, in units of the distance.
  void fly(const glm::vec3& by);

  /// Height of the picture at the focus, in the scene's unit.
  float picture_height() const;
  glm::vec3 position() const;
  opengl::Eye eye(int width, int height) const;

  bool operator==(const Camera&) const = default;
};

}  // namespace isolume::stage
