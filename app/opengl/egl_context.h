#pragma once

namespace isolume::opengl {

/// An OpenGL 3.3 core context without window or display (EGL on Mesa's surfaceless platform, else on the
/// first EGL device), current on the calling thread for its lifetime. Throws Error with the attempts made, or
/// the version found.
class EglContext {
 public:
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace isolume::opengl
