#include "app/opengl/egl_context.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>

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

/// Some drivers create a context of another version than requested. Calling a missing function would crash.
std::string version_of_current_context() {
  constexpr unsigned gl_version = 0x1F02;
  const auto get_string =
      reinterpret_cast<const unsigned char* (*)(unsigned)>(eglGetProcAddress("glGetString"));
  const auto* version = get_string == nullptr ? nullptr : get_string(gl_version);
  return version == nullptr ? "unknown" : reinterpret_cast<const char*>(version);
}

void end_context(EGLDisplay display, EGLContext context) {
  eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display, context);
}

/// Parses versions such as "2.1 Mesa 22.3.6".
bool is_opengl_3_3(std::string_view version) {
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [point, failed] = std::from_chars(version.data(), end, major);
  if (failed != std::errc{} || point == end || *point != '.') return false;
  std::from_chars(point + 1, end, minor);
  return std::pair(major, minor) >= std::pair(3, 3);
}

std::string opengl_too_old(std::string_view version) {
  return fmt::format(
      "Pictures need OpenGL 3.3, but only {} is offered here. Update the graphics driver; on a remote "
      "display or in a virtual machine, install libgl1-mesa-dri and set LIBGL_ALWAYS_SOFTWARE=1.",
      quoted(version, 60));
}

}  // namespace

EglContext::EglContext() {
  std::string too_old;
  for (const auto& display_of : {surfaceless_display, device_display}) {
    display_ = display_of();
    context_ = make_context(display_);
    if (context_ == EGL_NO_CONTEXT) continue;
    const std::string version = version_of_current_context();
    if (is_opengl_3_3(version)) return;
    too_old = opengl_too_old(version);
    end_context(display_, context_);
  }
  if (!too_old.empty()) throw Error(too_old);
  throw Error(
      "No OpenGL 3.3 context without a window: tried EGL on Mesa's surfaceless platform and on the first EGL "
      "device. Install libgl1-mesa-dri, Mesa's drivers, or the EGL library of the graphics driver.");
}

EglContext::~EglContext() {
  // The display stays initialised, since other code in this process may use the same one.
  end_context(display_, context_);
}

}  // namespace isolume::opengl
