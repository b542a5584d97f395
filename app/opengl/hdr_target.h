#pragma once

#include <array>
#include <vector>

#include "app/opengl/objects.h"
#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// A framebuffer with depth in which light adds up without an upper limit, before tone mapping. It uses
/// 32-bit floats: 16-bit floats would lose the light of a faint body after thousands of additions.
class HdrTarget {
 public:
  /// Throws Error if the tone-mapping shader does not compile.
  HdrTarget();

  /// Sets the size and binds the framebuffer and viewport for drawing. Keeps its content if the size is
  /// unchanged. Throws Error if the driver offers no such framebuffer.
  void bind(int width, int height);
  /// Multiplies the content by `kept` (0: black) and clears the depth. Call between bind() and drawing.
  void fade(float kept);
  int width() const { return width_; }
  int height() const { return height_; }
  /// The content in linear light: red, green, blue of each pixel, the bottom row first. Slow.
  std::vector<float> read() const;

  /// Draws it to a framebuffer of its size (0: the window's), as sRGB: a channel's light L becomes
  /// 1 - exp(-exposure * L), so that no light is cut off. `pixels`: as many of the framebuffer's pixels, each way, as one of
  /// this target is drawn on.
  void tone_map(GLuint framebuffer, float exposure, int pixels = 1) const;
  /// Draws what has added up in red as a colour of a table (light, one row) by its logarithm. Both ends of the range are
  /// above 0; what is below has the first colour.
  void map_values(GLuint framebuffer, const std::array<float, 2>& range, const Texture& colours,
                  int pixels = 1) const;

 private:
  void make_room();
  void begin_whole_picture(GLuint framebuffer, int pixels) const;

  int width_ = 0, height_ = 0;
  Framebuffer framebuffer_;
  Texture light_;
  Renderbuffer depth_;
  VertexArray nothing_;
  ShaderProgram tone_map_;
  ShaderProgram fade_;
  ShaderProgram value_map_;
};

}  // namespace isolume::opengl
