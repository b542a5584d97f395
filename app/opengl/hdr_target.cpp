#include "app/opengl/hdr_target.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::opengl {

HdrTarget::HdrTarget()
    : tone_map_("whole_picture", "tone_map"),
      fade_("whole_picture", "fade"),
      value_map_("whole_picture", "value_map") {}

void HdrTarget::make_room() {
  glBindTexture(GL_TEXTURE_2D, light_.name());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, width_, height_, 0, GL_RGBA, GL_FLOAT, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glBindRenderbuffer(GL_RENDERBUFFER, depth_.name());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width_, height_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, light_.name(), 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_.name());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw Error(
        fmt::format("The OpenGL driver offers no floating-point picture of {} × {} pixels. Make the "
                    "window smaller, or update the driver.",
                    width_, height_));
  }
}

void HdrTarget::bind(int width, int height) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  if (width != width_ || height != height_) {
    width_ = width;
    height_ = height;
    make_room();
    fade(0);
  }
  glViewport(0, 0, width_, height_);
}

void HdrTarget::fade(float kept) {
  glClear(GL_DEPTH_BUFFER_BIT);
  glDisable(GL_DEPTH_TEST);
  if (kept > 0) {
    glEnable(GL_BLEND);
    glBlendFunc(GL_ZERO, GL_SRC_ALPHA);
  } else {  // drawn, since Mesa clears 16-byte pixels one by one
    glDisable(GL_BLEND);
  }
  fade_.use();
  fade_.set("kept", kept);
  glBindVertexArray(nothing_.name());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDisable(GL_BLEND);
}

std::vector<float> HdrTarget::read() const {
  std::vector<float> light(std::size_t{3} * static_cast<std::size_t>(width_) *
                           static_cast<std::size_t>(height_));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.name());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_FLOAT, light.data());
  return light;
}

/// With the light as the first texture.
void HdrTarget::begin_whole_picture(GLuint framebuffer, int pixels) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, pixels * width_, pixels * height_);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, light_.name());
  glBindVertexArray(nothing_.name());
}

void HdrTarget::tone_map(GLuint framebuffer, float exposure, int pixels) const {
  begin_whole_picture(framebuffer, pixels);
  tone_map_.use();
  tone_map_.set("light", 0);
  tone_map_.set("exposure", exposure);
  tone_map_.set("pixels", pixels);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void HdrTarget::map_values(GLuint framebuffer, const std::array<float, 2>& range, const Texture& colours,
                           int pixels) const {
  begin_whole_picture(framebuffer, pixels);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, colours.name());
  value_map_.use();
  value_map_.set("light", 0);
  value_map_.set("colours", 1);
  value_map_.set("range", range);
  value_map_.set("pixels", pixels);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindTexture(GL_TEXTURE_2D, 0);
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace isolume::opengl
