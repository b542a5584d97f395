#pragma once

#include <array>
#include <span>
#include <string>

#include <epoxy/gl.h>

namespace isolume::opengl {

using Vector3 = std::array<float, 3>;
using Matrix = std::array<float, 16>;  ///< in column-major order, as in OpenGL

/// The shipped files shaders/VERTEX.vert and shaders/FRAGMENT.frag as a program of the current context.
class ShaderProgram {
 public:
  /// Throws Error with the file and the compiler's message.
  ShaderProgram(const std::string& vertex, const std::string& fragment);
  explicit ShaderProgram(const std::string& both) : ShaderProgram(both, both) {}
  ~ShaderProgram();
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;

  void use() const;
  /// Sets a uniform of the program in use. An unknown name is a programming error: std::logic_error.
  void set(const char* name, float value) const;
  void set(const char* name, int value) const;
  void set(const char* name, bool value) const { set(name, static_cast<int>(value)); }
  void set(const char* name, const std::array<float, 2>& value) const;
  void set(const char* name, const Vector3& value) const;
  void set(const char* name, const Matrix& value) const;

 private:
  GLint place_of(const char* name) const;

  std::string name_;
  GLuint program_ = 0;
};

}  // namespace isolume::opengl
