#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "app/opengl/objects.h"
#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// The camera.
struct Eye {
  Matrix view{};        ///< from the scene to the eye, without scaling
  Matrix projection{};  ///< from the eye to OpenGL's clip space, perspective or orthographic
  int height = 0;       ///< height of the picture in pixels
};

/// Appearance of points.
struct PointLook {
  /// Light of all points together, in squares of the scene's unit: a point with the fraction p of the mass
  /// adds, over all its pixels, luminosity * p * k^2 of its colour, where k is the width of the scene's unit
  /// there, in pixels.
  float luminosity = 1;
  float radius =
      0.01F;  ///< of a point of mean mass, in the scene's unit; others go by the cube root of their mass
  /// Above 0: points are spheres with this light in the middle of each, whatever its mass and size.
  float disc_light = 0;
  /// The smallest and largest diameter on the screen, in pixels; the light of a point stays the same.
  std::array<float, 2> diameters{3, 256};
  std::array<float, 2> values{0, 1};  ///< values of the first and the last colour
  bool logarithmic = false;           ///< colours on a logarithmic scale; both ends are then positive
};

/// Up to millions of bodies as small discs of light, added to the current framebuffer, an HdrTarget, so that
/// the sum is unlimited. Belongs to the context that was current at its construction.
class Points {
 public:
  /// Throws Error if the shader does not compile.
  Points();

  /// Three coordinates per point, in the scene's unit. The number of points must not change unless masses and
  /// values are set, too.
  void set_positions(std::span<const float> coordinates);
  /// Masses, not negative; empty: all equal.
  void set_masses(std::span<const float> masses);
  /// The values that determine colours; empty: all 0.
  void set_values(std::span<const float> values);
  /// Names of OpenGL's buffers for external writers of coordinates or values of this many points. `before` is
  /// called with the name before the buffer gets other storage. The content is valid until the next of the
  /// calls above.
  using Before = std::function<void(unsigned buffer)>;
  unsigned room_for_positions(std::size_t points, const Before& before);
  unsigned room_for_values(std::size_t points, const Before& before);
  /// Copies bytes to the beginning of such a buffer.
  static void write(unsigned buffer, std::span<const std::byte> bytes);
  /// The colours from the lowest value to the highest, interpolated linearly.
  void set_colours(std::span<const Vector3> colours);
  std::size_t count() const { return count_; }

  /// Uses additive blending, and neither tests nor writes depth. Leaves program and vertex array bound.
  void draw(const Eye& eye, const PointLook& look) const;

 private:
  static void make_room(const Buffer& buffer, std::size_t& capacity, std::size_t values,
                        const Before& before);
  void fill(const Buffer& buffer, std::size_t& capacity, std::span<const float> values) const;

  std::size_t count_ = 0;
  std::size_t capacities_[3] = {};
  bool has_masses_ = false, has_values_ = false;
  float total_mass_ = 0;
  VertexArray vertices_;
  Buffer positions_, masses_, values_;
  Texture colours_;
  ShaderProgram program_;
};

}  // namespace isolume::opengl
