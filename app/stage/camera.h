#pragma once

#include <glm/vec3.hpp>

#include "app/opengl/points.h"

namespace isolume::stage {

/// A camera that looks at a place and can both turn about it and fly along with it; z is up. Lengths are in the
/// scene's unit, angles in radians.
class Camera {
 public:
  glm::vec3 focus{0, 0, 0};
  float distance = 1;
  float azimuth = 0;           ///< of where it stands, seen from the focus: 0 on +x, a quarter turn on +y
  float elevation = 0;         ///< above the xy plane, within a quarter turn
  float field_of_view = 0.8F;  ///< of the picture's height

  /// Upright, never over the poles.
  void turn(float azimuths, float elevations);
  /// Nearer by this factor.
  void zoom(float factor);
  /// Focus and camera together, to the camera's right, upwards and forwards, in units of the distance.
  void fly(const glm::vec3& by);

  /// Of the picture, at the focus.
  float picture_height() const;
  glm::vec3 position() const;
  opengl::Eye eye(int width, int height) const;

  bool operator==(const Camera&) const = default;
};

}  // namespace isolume::stage
