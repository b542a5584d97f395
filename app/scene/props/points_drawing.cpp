#include "app/scene/props/points_drawing.h"

#include <numeric>
#include <span>
#include <utility>

#include "app/opengl/colours.h"
#include "app/opengl/hdr_target.h"
#include "app/opengl/points.h"

namespace isolume::scene {
namespace {

/// Restores on destruction the OpenGL state that drawing here changes; VTK relies on its cached state.
class SavedState {
 public:
  SavedState() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_);
    glGetIntegerv(GL_VIEWPORT, viewport_.data());
    glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertices_);
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &buffer_);
    glGetIntegerv(GL_ACTIVE_TEXTURE, &unit_);
    glGetIntegerv(GL_RENDERBUFFER_BINDING, &renderbuffer_);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, clear_.data());
    glGetIntegerv(GL_BLEND_SRC_RGB, &blend_[0]);
    glGetIntegerv(GL_BLEND_DST_RGB, &blend_[1]);
    glGetIntegerv(GL_BLEND_SRC_ALPHA, &blend_[2]);
    glGetIntegerv(GL_BLEND_DST_ALPHA, &blend_[3]);
    glActiveTexture(GL_TEXTURE0);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture_);
    glGetBooleanv(GL_DEPTH_WRITEMASK, &depth_mask_);
    for (std::size_t i = 0; i < switches.size(); ++i) on_[i] = glIsEnabled(switches[i]);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
  }
  ~SavedState() {
    for (std::size_t i = 0; i < switches.size(); ++i) on_[i] ? glEnable(switches[i]) : glDisable(switches[i]);
    glDepthMask(depth_mask_);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_));
    glActiveTexture(static_cast<GLenum>(unit_));
    glBlendFuncSeparate(static_cast<GLenum>(blend_[0]), static_cast<GLenum>(blend_[1]),
                        static_cast<GLenum>(blend_[2]), static_cast<GLenum>(blend_[3]));
    glClearColor(clear_[0], clear_[1], clear_[2], clear_[3]);
    glBindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(renderbuffer_));
    glBindVertexArray(static_cast<GLuint>(vertices_));
    glBindBuffer(GL_ARRAY_BUFFER, static_cast<GLuint>(buffer_));
    glUseProgram(static_cast<GLuint>(program_));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_));
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  }
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;

  GLuint framebuffer() const { return static_cast<GLuint>(draw_); }

 private:
  static constexpr std::array<GLenum, 5> switches{GL_BLEND, GL_DEPTH_TEST, GL_SCISSOR_TEST, GL_CULL_FACE,
                                                  GL_PROGRAM_POINT_SIZE};
  GLint draw_ = 0, read_ = 0, program_ = 0, vertices_ = 0, buffer_ = 0, unit_ = 0, renderbuffer_ = 0,
        texture_ = 0;
  std::array<GLint, 4> viewport_{}, blend_{};
  std::array<GLfloat, 4> clear_{};
  std::array<GLboolean, switches.size()> on_{};
  GLboolean depth_mask_ = GL_TRUE;
};

}  // namespace

struct PointsDrawing::Parts {
  opengl::HdrTarget target;
  opengl::Points points;
  opengl::Texture density_colours;
  LightPoints::Numbers masses, values;  ///< present content of OpenGL's buffers
  float mass = 0;                       ///< total mass of all points
  std::shared_ptr<const gpu::PointsEngine> engine;
  std::unique_ptr<gpu::PointsWriter> writer;  ///< of the engine; the last member, it goes before the buffers

  void set_masses(const LightPoints::Numbers& now);
  void set_values(const LightPoints::Numbers& now);
  void write(const LightPoints::OnDevice& now, std::size_t count);
};

void PointsDrawing::Parts::set_masses(const LightPoints::Numbers& now) {
  if (masses == now) return;
  points.set_masses(*now);
  mass = static_cast<float>(std::accumulate(now->begin(), now->end(), 0.0));
  masses = now;
}

void PointsDrawing::Parts::set_values(const LightPoints::Numbers& now) {
  if (values == now) return;
  values.reset();
  points.set_values(*now);
  values = now;
}

void PointsDrawing::Parts::write(const LightPoints::OnDevice& now, std::size_t count) {
  if (writer == nullptr || engine != now.engine) {
    writer.reset();
    writer = now.engine->make_writer(reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
    engine = now.engine;
  }
  const auto forget = [this](unsigned buffer) { writer->forget(buffer); };
  const auto buffer = [](unsigned name) {
    return gpu::GlBuffer{name,
                         [name](std::span<const std::byte> bytes) { opengl::Points::write(name, bytes); }};
  };
  writer->write_places(*now.positions, now.rows, now.shift, buffer(points.room_for_positions(count, forget)));
  if (now.values == nullptr) return;
  values.reset();
  writer->write_values(*now.values, now.rows, buffer(points.room_for_values(count, forget)));
}

PointsDrawing::PointsDrawing() {
  const SavedState as_before;
  parts_ = std::make_unique<Parts>();
  const auto colours = opengl::sequential_colours();
  glBindTexture(GL_TEXTURE_2D, parts_->density_colours.name());
  for (const GLenum side : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, side, GL_CLAMP_TO_EDGE);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_LINEAR);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F, static_cast<GLsizei>(colours.size()), 1, 0, GL_RGB, GL_FLOAT,
               colours.data());
}

PointsDrawing::~PointsDrawing() = default;

void PointsDrawing::abandon() {
  parts_->writer.reset();
  parts_->engine.reset();
}

void PointsDrawing::upload(const LightPoints& points) {
  const SavedState as_before;
  // The driver must not write to storage that changes its owner.
  if (!points.on_device || (!points.on_device->values && parts_->values != points.values))
    parts_->writer.reset();
  parts_->set_masses(points.masses);
  if (points.on_device) {
    parts_->write(*points.on_device, points.masses->size());
  } else {
    parts_->points.set_positions(points.positions);
  }
  if (points.values) parts_->set_values(points.values);
  if (points.surface_density) {
    constexpr opengl::Vector3 white{1, 1, 1};
    return parts_->points.set_colours(std::span(&white, 1));
  }
  parts_->points.set_colours(points.distinct ? opengl::distinct_colours() : opengl::sequential_colours());
}

void PointsDrawing::draw(const LightPoints& points, const std::array<float, 16>& view,
                         const std::array<float, 16>& projection, int width, int height, int pixels,
                         float pixels_per_point) {
  const SavedState as_before;
  // Spheres are as large on a print; light is as sharp as pixels are.
  const float scale = points.disc_light > 0 ? pixels_per_point / static_cast<float>(pixels) : 1;
  const std::array diameters{scale * points.diameters[0], std::max(scale, 1.0F) * points.diameters[1]};
  const auto coarse = [pixels](int size) { return (size + pixels - 1) / pixels; };
  parts_->target.bind(coarse(width), coarse(height));
  parts_->target.fade(0);
  parts_->points.draw({.view = view, .projection = projection, .height = coarse(height)},
                      // Light of that much is the mass that it stands for, on each square.
                      {.luminosity = points.surface_density ? parts_->mass : points.luminosity,
                       .radius = points.radius,
                       .disc_light = points.disc_light,
                       .diameters = diameters,
                       .values = points.range,
                       .logarithmic = points.logarithmic});
  glDepthMask(GL_FALSE);
  if (points.surface_density) {
    parts_->target.map_values(as_before.framebuffer(), *points.surface_density, parts_->density_colours,
                              pixels);
  } else {
    parts_->target.tone_map(as_before.framebuffer(), points.exposure, pixels);
  }
}

}  // namespace isolume::scene
