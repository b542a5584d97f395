#include "app/stage/camera.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/type_ptr.hpp>

namespace isolume::stage {
namespace {

constexpr glm::vec3 up{0, 0, 1};

/// Unit vector from the focus to the camera.
glm::vec3 direction(const Camera& camera) {
  return {std::cos(camera.elevation) * std::cos(camera.azimuth),
          std::cos(camera.elevation) * std::sin(camera.azimuth), std::sin(camera.elevation)};
}

opengl::Matrix to_array(const glm::mat4& matrix) {
  opengl::Matrix array;
  std::memcpy(array.data(), glm::value_ptr(matrix), sizeof(array));
  return array;
}

}  // namespace

void Camera::turn(float azimuths, float elevations) {
  constexpr float pi = std::numbers::pi_v<float>;
  constexpr float highest = 0.495F * pi;
  azimuth = std::remainder(azimuth + azimuths, 2 * pi);
  elevation = std::clamp(elevation + elevations, -highest, highest);
}

void Camera::zoom(float factor) {
  constexpr float nearest = 1e-6F, farthest = 1e9F;
  distance = std::clamp(distance / factor, nearest, farthest);
}

void Camera::fly(const glm::vec3& by) {
  const glm::vec3 forwards = -direction(*this);
  const glm::vec3 right = glm::normalize(glm::cross(forwards, up));
  focus += distance * (by.x * right + by.y * glm::cross(right, forwards) + by.z * forwards);
}

float Camera::picture_height() const {
  return 2 * std::tan(field_of_view / 2) * distance;
}

glm::vec3 Camera::position() const {
  return focus + distance * direction(*this);
}

opengl::Eye Camera::eye(int width, int height) const {
  const float aspect = static_cast<float>(width) / static_cast<float>(std::max(height, 1));
  return {to_array(glm::lookAt(position(), focus, up)),
          to_array(glm::perspective(field_of_view, aspect, 0.005F * distance, 200 * distance)), height};
}

}  // namespace isolume::stage
