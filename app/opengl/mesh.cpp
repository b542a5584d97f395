#include "app/opengl/mesh.h"

namespace isolume::opengl {
namespace {

enum MeshAttribute : GLuint { point, normal };

template <class Number>
void fill(GLenum target, const Buffer& buffer, std::span<const Number> numbers) {
  glBindBuffer(target, buffer.name());
  glBufferData(target, static_cast<GLsizeiptr>(numbers.size_bytes()), numbers.data(), GL_DYNAMIC_DRAW);
}

}  // namespace

void MeshShader::use(const Eye& eye) const {
  program_.use();
  program_.set("viewMatrix", eye.view);
  program_.set("projectionMatrix", eye.projection);
}

void MeshShader::set_colour(const Vector3& colour, float opacity) const {
  program_.set("colour", colour);
  program_.set("opacity", opacity);
}

Mesh::Mesh() {
  glBindVertexArray(vertices_.name());
  for (const auto& [buffer, attribute] : {std::pair{&points_, point}, {&normals_, normal}}) {
    glBindBuffer(GL_ARRAY_BUFFER, buffer->name());
    glVertexAttribPointer(attribute, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(attribute);
  }
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangles_.name());
}

void Mesh::set(std::span<const float> points, std::span<const float> normals,
               std::span<const std::uint32_t> triangles) {
  glBindVertexArray(vertices_.name());
  fill(GL_ARRAY_BUFFER, points_, points);
  fill(GL_ARRAY_BUFFER, normals_, normals);
  fill(GL_ELEMENT_ARRAY_BUFFER, triangles_, triangles);
  corners_ = static_cast<int>(triangles.size());
}

void Mesh::draw() const {
  if (corners_ == 0) return;
  glBindVertexArray(vertices_.name());
  glDrawElements(GL_TRIANGLES, corners_, GL_UNSIGNED_INT, nullptr);
}

}  // namespace isolume::opengl
