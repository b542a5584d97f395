#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "app/opengl/objects.h"
#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// Where the scene is seen from.
struct Eye {
  Matrix view{};        ///< from the scene to the eye, without scaling
  Matrix projection{};  ///< from the eye to OpenGL's clip space, perspective or orthographic
  int height = 0;       ///< of the picture, in pixels
};

/// How points are drawn.
struct PointLook {
  /// Light of all points together, in squares of the scene's unit: a point that has the part p of the mass adds, over
  /// all its pixels, luminosity * p * k^2 of its colour, where k is how many pixels the scene's unit is wide there.
  float luminosity = 1;
  float radius =
      0.01F;  ///< of a point of mean mass, in the scene's unit; others go by the cube root of their mass
  /// Above 0: points are spheres with this light in the middle of each, whatever its mass and size.
  float disc_light = 0;
  /// The smallest and largest diameter on the screen, in pixels; the light of a point stays the same.
  std::array<float, 2> diameters{3, 256};
  std::array<float, 2> values{0, 1};  ///< that have the first and the last colour
  bool logarithmic = false;           ///< colours go by the values' logarithms; both ends are positive then
};

/// A million bodies as small discs of light, added to the current framebuffer: HdrTarget's, so that their sum has no
/// upper end. Belongs to the context that was current when it was made.
class Points {
 public:
  /// Throws Error where the shader does not compile.
  Points();

  /// Three coordinates a point, in the scene's unit. As many points as before unless masses and values are set, too.
  void set_positions(std::span<const float> coordinates);
  /// Not negative; empty: all the same.
  void set_masses(std::span<const float> masses);
  /// What colours them; empty: all 0.
  void set_values(std::span<const float> values);
  /// For whoever writes so many points' coordinates, or values, into OpenGL's buffer: its name. `before` is called with
  /// it before it is given other storage. What is written stays until the next of the calls above.
  using Before = std::function<void(unsigned buffer)>;
  unsigned room_for_positions(std::size_t points, const Before& before);
  unsigned room_for_values(std::size_t points, const Before& before);
  /// Copies bytes to the begin of such a buffer.
  static void write(unsigned buffer, std::span<const std::byte> bytes);
  /// From the lowest value to the highest, between which colours are joined.
  void set_colours(std::span<const Vector3> colours);
  std::size_t count() const { return count_; }

  /// Blends by addition; depth is neither tested nor written. Leaves program and vertex array bound.
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
