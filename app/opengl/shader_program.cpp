#include "app/opengl/shader_program.h"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/text_file.h"

namespace isolume::opengl {
namespace {

/// The log of a shader or a program, as the driver writes it.
template <class GetLength, class GetText>
std::string log_of(GLuint object, GetLength get_length, GetText get_text) {
  GLint length = 0;
  get_length(object, GL_INFO_LOG_LENGTH, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  get_text(object, length, nullptr, text.data());
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

GLuint compiled(const std::filesystem::path& path, GLenum kind) {
  const std::string source = read_text_file(path);
  const char* text = source.c_str();
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint good = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good == GL_TRUE) return shader;
  const std::string message = log_of(shader, glGetShaderiv, glGetShaderInfoLog);
  glDeleteShader(shader);
  throw Error(fmt::format("{}: the OpenGL driver does not compile it: {}", path.string(), message));
}

}  // namespace

ShaderProgram::ShaderProgram(const std::string& vertex, const std::string& fragment)
    : name_(fragment), program_(glCreateProgram()) {
  const std::filesystem::path folder = resource("shaders");
  const auto add = [&](const std::string& file, GLenum kind) {
    const GLuint shader = compiled(folder / file, kind);
    glAttachShader(program_, shader);
    glDeleteShader(shader);  // deleted together with the program
  };
  try {
    add(vertex + ".vert", GL_VERTEX_SHADER);
    add(fragment + ".frag", GL_FRAGMENT_SHADER);
    glLinkProgram(program_);
    GLint good = GL_FALSE;
    glGetProgramiv(program_, GL_LINK_STATUS, &good);
    if (good != GL_TRUE) {
      throw Error(fmt::format("{}: the OpenGL driver does not link {}.vert and {}.frag: {}", folder.string(),
                              vertex, fragment, log_of(program_, glGetProgramiv, glGetProgramInfoLog)));
    }
  } catch (...) {
    glDeleteProgram(program_);
    throw;
  }
}

ShaderProgram::~ShaderProgram() {
  glDeleteProgram(program_);
}

void ShaderProgram::use() const {
  glUseProgram(program_);
}

GLint ShaderProgram::place_of(const char* name) const {
  const GLint place = glGetUniformLocation(program_, name);
  if (place < 0) throw std::logic_error(fmt::format("shaders/{}: there is no uniform {}", name_, name));
  return place;
}

void ShaderProgram::set(const char* name, float value) const {
  glUniform1f(place_of(name), value);
}

void ShaderProgram::set(const char* name, int value) const {
  glUniform1i(place_of(name), value);
}

void ShaderProgram::set(const char* name, const std::array<float, 2>& value) const {
  glUniform2fv(place_of(name), 1, value.data());
}

void ShaderProgram::set(const char* name, const Vector3& value) const {
  glUniform3fv(place_of(name), 1, value.data());
}

void ShaderProgram::set(const char* name, const Matrix& value) const {
  glUniformMatrix4fv(place_of(name), 1, GL_FALSE, value.data());
}

}  // namespace isolume::opengl
