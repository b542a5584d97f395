#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace isolume::scene {

/// Bodies as light, for PointsProp. What colours go by lies between the ends of `range`.
struct LightPoints {
  std::vector<float> positions;  ///< x, y, z of the first, x, y, z of the second ..., in the scene's unit
  std::vector<float> masses, values;
  std::array<float, 2> range{0, 1};
  bool logarithmic = false;  ///< colours go by the values' logarithms
  bool distinct = false;     ///< colours tell apart what is not ordered
  float luminosity = 1;      ///< as opengl::PointLook has them
  float radius = 0.01F;
  float exposure = 1;
  /// Instead of light: the mass on a square of the scene's unit, as seen, by its logarithm between these two.
  std::optional<std::array<float, 2>> surface_density = std::nullopt;
};

/// The part of PointsProp that calls OpenGL itself: its headers do not go along with VTK's in one source. Lives in the
/// context that is current when it is made.
class PointsDrawing {
 public:
  /// Throws Error where a shader does not compile.
  PointsDrawing();
  ~PointsDrawing();
  PointsDrawing(const PointsDrawing&) = delete;
  PointsDrawing& operator=(const PointsDrawing&) = delete;

  void upload(const LightPoints& points);
  /// Fills the current framebuffer, whose viewport is so large; all of OpenGL's state that it changes is as before
  /// afterwards.
  void draw(const LightPoints& points, const std::array<float, 16>& view,
            const std::array<float, 16>& projection, int width, int height);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
