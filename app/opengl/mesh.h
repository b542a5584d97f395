#pragma once

#include <cstdint>
#include <span>

#include "app/opengl/objects.h"
#include "app/opengl/points.h"
#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// The shader that meshes are drawn with; one for all of them.
class MeshShader {
 public:
  /// Throws Error where it does not compile.
  MeshShader() : program_("mesh") {}
  /// Of the meshes drawn from now on.
  void use(const Eye& eye) const;
  /// As light; opacity from 0 to 1.
  void set_colour(const Vector3& colour, float opacity) const;

 private:
  ShaderProgram program_;
};

/// Triangles with normals. Belongs to the context that was current when it was made.
class Mesh {
 public:
  Mesh();
  /// Three numbers a point, in the scene's unit; normals of unit length; three points a triangle.
  void set(std::span<const float> points, std::span<const float> normals,
           std::span<const std::uint32_t> triangles);
  bool empty() const { return corners_ == 0; }
  /// With the shader in use, and depth and blending as they are.
  void draw() const;

 private:
  int corners_ = 0;
  VertexArray vertices_;
  Buffer points_, normals_, triangles_;
};

}  // namespace isolume::opengl
