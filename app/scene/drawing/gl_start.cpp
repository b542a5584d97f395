#include "app/scene/drawing/gl_start.h"

#include <dlfcn.h>
#include <vtkGenericOpenGLRenderWindow.h>

/// Replaces GLEW's function of this name: distributions build GLEW for GLX, and under EGL (Wayland,
/// offscreen) it reports the missing X display as a failure after it has loaded every entry point. VTK would
/// then log an error with each frame.
extern "C" __attribute__((visibility("default"))) unsigned glewInit() {
  constexpr unsigned no_glx_display = 4;
  static const auto real = reinterpret_cast<unsigned (*)()>(dlsym(RTLD_NEXT, "glewInit"));
  const unsigned result = real != nullptr ? real() : 1;
  return result == no_glx_display ? 0 : result;
}

namespace isolume::scene {

void use_foreign_context(vtkGenericOpenGLRenderWindow& window) {
  window.SetOwnContext(0);
  window.SetReadyForRendering(false);
  window.SetFrameBlitModeToNoBlit();
}

void start_gl(vtkGenericOpenGLRenderWindow& window) {
  window.SetReadyForRendering(true);
  window.SetMapped(1);
  window.SetIsCurrent(true);
  window.SetSupportsOpenGL(1);
  window.SetIsDirect(1);
  window.OpenGLInitContext();
}

}  // namespace isolume::scene
