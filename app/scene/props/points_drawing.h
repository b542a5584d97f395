#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/interop/points_engine.h"

namespace isolume::scene {

/// Bodies as light, for PointsProp. The values for colours lie within `range`.
struct LightPoints {
  using Numbers = std::shared_ptr<const std::vector<float>>;
  std::vector<float> positions;  ///< x, y, z of each point in turn, in the scene's unit
  Numbers masses, values;        ///< one per point; the same objects if they are unchanged
  /// Replaces positions, and values if it has them: numbers on a device, which go to OpenGL without passing
  /// through the host if possible.
  struct OnDevice {
    std::shared_ptr<const gpu::PointsEngine> engine;
    std::shared_ptr<const dispatch::DeviceValues> positions, values;
    std::array<float, 3> shift{0, 0, 0};  ///< added to the positions
    gpu::DrawnRows rows;                  ///< the rows that are points
  };
  std::optional<OnDevice> on_device = std::nullopt;
  std::array<float, 2> range{0, 1};
  bool logarithmic = false;  ///< colours on a logarithmic scale
  bool distinct = false;     ///< colours distinguish categories
  float luminosity = 1;      ///< see opengl::PointLook
  float radius = 0.01F;
  float disc_light = 0;
  std::array<float, 2> diameters{3, 256};  ///< of spheres: points of 1/72 inch
  float exposure = 1;
  /// Shows, instead of light, the mass per square of the scene's unit in projection, on a logarithmic scale
  /// between these two values.
  std::optional<std::array<float, 2>> surface_density = std::nullopt;
};

/// The part of PointsProp that calls OpenGL: its headers conflict with VTK's in one source. Lives in the
/// context that is current at its construction.
class PointsDrawing {
 public:
  /// Throws Error if a shader does not compile.
  PointsDrawing();
  ~PointsDrawing();
  PointsDrawing(const PointsDrawing&) = delete;
  PointsDrawing& operator=(const PointsDrawing&) = delete;

  /// Throws Error if numbers cannot be read from a device.
  void upload(const LightPoints& points);
  /// Releases everything but OpenGL's objects: for the case that its context is gone and this object is never
  /// destroyed.
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
