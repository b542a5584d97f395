#include "app/opengl/egl_context.h"

#include <array>
#include <string>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "core/base/error.h"

namespace isolume::opengl {
namespace {

EGLDisplay surfaceless_display() {
  const auto get_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (get_display == nullptr) return EGL_NO_DISPLAY;
  return get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
}

EGLDisplay device_display() {
  const auto get_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  const auto query_devices =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  EGLDeviceEXT device = nullptr;
  EGLint count = 0;
  if (get_display == nullptr || query_devices == nullptr || query_devices(1, &device, &count) == EGL_FALSE ||
      count < 1) {
    return EGL_NO_DISPLAY;
  }
  return get_display(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
}

EGLContext make_context(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE)
    return EGL_NO_CONTEXT;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return EGL_NO_CONTEXT;
  const std::array<EGLint, 5> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE,
                                     EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, wanted.data(), &config, 1, &count) == EGL_FALSE || count < 1)
    return EGL_NO_CONTEXT;
  const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                      3,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      3,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
  const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
  if (context == EGL_NO_CONTEXT) return EGL_NO_CONTEXT;
  if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) return context;
  eglDestroyContext(display, context);
  return EGL_NO_CONTEXT;
}

}  // namespace

EglContext::EglContext() {
  for (const auto& display_of : {surfaceless_display, device_display}) {
    display_ = display_of();
    context_ = make_context(display_);
    if (context_ != EGL_NO_CONTEXT) return;
  }
  throw Error(
      "No OpenGL 3.3 context without a window: tried EGL on Mesa's surfaceless platform and on the first EGL "
      "device. "
      "Install libegl1 and libgl1-mesa-dri.");
}

EglContext::~EglContext() {
  // The display stays initialised: others in this process may use the same one.
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
}

}  // namespace isolume::opengl
