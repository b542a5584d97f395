#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/interop/points_engine.h"

namespace isolume::scene {

/// Bodies as light, for PointsProp. What colours go by lies between the ends of `range`.
struct LightPoints {
  using Numbers = std::shared_ptr<const std::vector<float>>;
  std::vector<float> positions;  ///< x, y, z of the first, x, y, z of the second ..., in the scene's unit
  Numbers masses, values;        ///< of each; the same objects where they stay the same
  /// In the place of positions, and of values where there are some: numbers that a device has, from which they go
  /// to OpenGL without coming to the host where they can.
  struct OnDevice {
    std::shared_ptr<const gpu::PointsEngine> engine;
    std::shared_ptr<const dispatch::DeviceValues> positions, values;
    std::array<float, 3> shift{0, 0, 0};  ///< to be added to the positions
    gpu::DrawnRows rows;                  ///< those that are points
  };
  std::optional<OnDevice> on_device = std::nullopt;
  std::array<float, 2> range{0, 1};
  bool logarithmic = false;  ///< colours go by the values' logarithms
  bool distinct = false;     ///< colours tell apart what is not ordered
  float luminosity = 1;      ///< as opengl::PointLook has them
  float radius = 0.01F;
  float disc_light = 0;
  std::array<float, 2> diameters{3, 256};  ///< of spheres: points of 1/72 inch
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

  /// Throws Error where numbers cannot be had from a device.
  void upload(const LightPoints& points);
  /// Lets go of what is not OpenGL's: for when its context has gone, and this is never destroyed.
  void abandon();
  /// Fills the current framebuffer, whose viewport is so large; all of OpenGL's state that it changes is as before
  /// afterwards. `pixels`: that the light of one pixel is drawn on, each way; above 1 for drafts.
  void draw(const LightPoints& points, const std::array<float, 16>& view,
            const std::array<float, 16>& projection, int width, int height, int pixels = 1,
            float pixels_per_point = 1);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
