#pragma once

#include <utility>

#include <epoxy/gl.h>

namespace isolume::opengl {

/// One OpenGL object. Its context must be current at construction and destruction.
template <auto make, auto destroy>
class Object {
 public:
  Object() { (*make)(1, &name_); }
  ~Object() {
    if (name_ != 0) (*destroy)(1, &name_);
  }
  Object(Object&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  GLuint name() const { return name_; }

 private:
  GLuint name_ = 0;
};

using Buffer = Object<&epoxy_glGenBuffers, &epoxy_glDeleteBuffers>;
using VertexArray = Object<&epoxy_glGenVertexArrays, &epoxy_glDeleteVertexArrays>;
using Texture = Object<&epoxy_glGenTextures, &epoxy_glDeleteTextures>;
using Framebuffer = Object<&epoxy_glGenFramebuffers, &epoxy_glDeleteFramebuffers>;
using Renderbuffer = Object<&epoxy_glGenRenderbuffers, &epoxy_glDeleteRenderbuffers>;

}  // namespace isolume::opengl
