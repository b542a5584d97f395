#pragma once

#include <cstdint>
#include <span>

#include "app/opengl/objects.h"
#include "app/opengl/points.h"
#include "app/opengl/shader_program.h"

namespace isolume::opengl {

/// The shader for all meshes.
class MeshShader {
 public:
  /// Throws Error if the shader does not compile.
  MeshShader() : program_("mesh") {}
  /// Applies to the meshes drawn from now on.
  void use(const Eye& eye) const;
  /// Linear light; opacity from 0 to 1.
  void set_colour(const Vector3& colour, float opacity) const;

 private:
  ShaderProgram program_;
};

/// Triangles with normals. Belongs to the context that was current at its construction.
class Mesh {
 public:
  Mesh();
  /// Three coordinates per point, in the scene's unit; unit normals; three points per triangle.
  void set(std::span<const float> points, std::span<const float> normals,
           std::span<const std::uint32_t> triangles);
  bool empty() const { return corners_ == 0; }
  /// Draws with the shader in use, and leaves depth test and blending unchanged.
  void draw() const;

 private:
  int corners_ = 0;
  VertexArray vertices_;
  Buffer points_, normals_, triangles_;
};

}  // namespace isolume::opengl
