#include "app/opengl/points.h"

#include <array>
#include <cmath>
#include <numeric>

namespace isolume::opengl {
namespace {

enum Attribute : GLuint { position, mass, value };

void attach(const Buffer& buffer, GLuint attribute, GLint components) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer.name());
  glVertexAttribPointer(attribute, components, GL_FLOAT, GL_FALSE, 0, nullptr);
}

}  // namespace

Points::Points() : program_("points") {
  glBindVertexArray(vertices_.name());
  attach(positions_, position, 3);
  attach(masses_, mass, 1);
  attach(values_, value, 1);
  glEnableVertexAttribArray(position);
  glBindTexture(GL_TEXTURE_2D, colours_.name());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  constexpr Vector3 white{1, 1, 1};
  set_colours(std::span(&white, 1));
}

/// Allocates new storage each time: the driver keeps the old one for pending draws, so nothing waits.
void Points::fill(const Buffer& buffer, std::size_t& capacity, std::span<const float> values) const {
  glBindBuffer(GL_ARRAY_BUFFER, buffer.name());
  if (values.size() > capacity) capacity = values.size();
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(capacity * sizeof(float)), nullptr, GL_STREAM_DRAW);
  glBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(values.size_bytes()), values.data());
}

void Points::set_positions(std::span<const float> coordinates) {
  fill(positions_, capacities_[position], coordinates);
  count_ = coordinates.size() / 3;
}

void Points::set_masses(std::span<const float> masses) {
  has_masses_ = !masses.empty();
  fill(masses_, capacities_[mass], masses);
  total_mass_ = static_cast<float>(std::accumulate(masses.begin(), masses.end(), 0.0));
}

void Points::set_values(std::span<const float> values) {
  has_values_ = !values.empty();
  fill(values_, capacities_[value], values);
}

void Points::make_room(const Buffer& buffer, std::size_t& capacity, std::size_t values,
                       const Before& before) {
  if (values <= capacity) return;
  before(buffer.name());
  capacity = values;
  glBindBuffer(GL_ARRAY_BUFFER, buffer.name());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(capacity * sizeof(float)), nullptr, GL_STREAM_DRAW);
}

unsigned Points::room_for_positions(std::size_t points, const Before& before) {
  make_room(positions_, capacities_[position], 3 * points, before);
  count_ = points;
  return positions_.name();
}

unsigned Points::room_for_values(std::size_t points, const Before& before) {
  make_room(values_, capacities_[value], points, before);
  has_values_ = points > 0;
  return values_.name();
}

void Points::write(unsigned buffer, std::span<const std::byte> bytes) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
}

void Points::set_colours(std::span<const Vector3> colours) {
  glBindTexture(GL_TEXTURE_2D, colours_.name());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F, static_cast<GLsizei>(colours.size()), 1, 0, GL_RGB, GL_FLOAT,
               colours.data());
}

void Points::draw(const Eye& eye, const PointLook& look) const {
  if (count_ == 0) return;
  // OpenGL draws no part of a point whose centre is outside: it gets room for half a disc on each side, so that none is
  // cut where the parts of a large picture meet.
  std::array<GLint, 4> viewport{};
  glGetIntegerv(GL_VIEWPORT, viewport.data());
  const int room = static_cast<int>(std::ceil(look.diameters[1] / 2));
  glViewport(viewport[0] - room, viewport[1] - room, viewport[2] + 2 * room, viewport[3] + 2 * room);
  Matrix projection = eye.projection;
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 2; ++row) {
      const auto side = static_cast<float>(viewport[2 + row]);
      projection[4 * column + row] *= side / (side + 2.0F * static_cast<float>(room));
    }
  }
  program_.use();
  program_.set("viewMatrix", eye.view);
  program_.set("projectionMatrix", projection);
  program_.set("pixels", 0.5F * static_cast<float>(eye.height) * eye.projection[5]);
  const float total = has_masses_ && total_mass_ > 0 ? total_mass_ : static_cast<float>(count_);
  program_.set("meanMass", total / static_cast<float>(count_));
  program_.set("luminosity", look.luminosity / static_cast<float>(count_));
  program_.set("radius", look.radius);
  program_.set("discLight", look.disc_light);
  program_.set("diameters", look.diameters);
  program_.set("valueRange", look.values);
  program_.set("logarithmic", look.logarithmic);
  program_.set("colours", 0);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, colours_.name());
  glBindVertexArray(vertices_.name());
  // An attribute without an array has one value for all points.
  const auto use = [](GLuint attribute, bool array, float otherwise) {
    if (array) {
      glEnableVertexAttribArray(attribute);
    } else {
      glDisableVertexAttribArray(attribute);
      glVertexAttrib1f(attribute, otherwise);
    }
  };
  use(mass, has_masses_, 1);
  use(value, has_values_, 0);
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_PROGRAM_POINT_SIZE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(count_));
  glDisable(GL_BLEND);
  glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
}

}  // namespace isolume::opengl
