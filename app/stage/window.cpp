#define GLFW_INCLUDE_NONE
#include "app/stage/window.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <GLFW/glfw3.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::stage {
namespace {

constexpr const char* advice = "isolume-stage --screenshot PICTURE.png draws a picture without a display.";

/// GLFW's last error, without its final full stop.
std::string why() {
  const char* text = nullptr;
  glfwGetError(&text);
  std::string said = text == nullptr ? "GLFW gives no reason" : text;
  while (!said.empty() && said.back() == '.') said.pop_back();
  return said;
}

std::string named_display() {
  const char* display = std::getenv("DISPLAY");
  return display == nullptr ? "DISPLAY is not set" : fmt::format("DISPLAY is {}", display);
}

GLFWwindow* make(const std::string& title, std::optional<PixelSize> size) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  if (size) return glfwCreateWindow(size->width, size->height, title.c_str(), nullptr, nullptr);
  GLFWmonitor* screen = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = screen == nullptr ? nullptr : glfwGetVideoMode(screen);
  if (mode == nullptr)
    throw Error(fmt::format("No monitor was found for full screen ({}). Try --size 1280x720.", why()));
  return glfwCreateWindow(mode->width, mode->height, title.c_str(), screen, nullptr);
}

bool drawn_by_processor() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  if (name == nullptr) return false;
  const std::string_view renderer(name);
  return renderer.find("llvmpipe") != renderer.npos || renderer.find("softpipe") != renderer.npos;
}

}  // namespace

Window::Window(const std::string& title, std::optional<PixelSize> size) {
  if (glfwInit() != GLFW_TRUE) {
    throw Error(
        fmt::format("No window can be opened: there is no display ({}; {}). Start the program from a "
                    "desktop, or set DISPLAY. {}",
                    named_display(), why(), advice));
  }
  try {
    window_ = make(title, size);
    if (window_ == nullptr) {
      throw Error(
          fmt::format("The display offers no OpenGL 3.3, which isolume-stage needs ({}). Update the graphics "
                      "driver, or install libgl1-mesa-dri and set LIBGL_ALWAYS_SOFTWARE=1.",
                      why()));
    }
  } catch (...) {
    glfwTerminate();
    throw;
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  processor_draws_ = drawn_by_processor();
  if (processor_draws_) shortest_ = 1.0 / 30;
  notice_events();
}

Window::~Window() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

PixelSize Window::pixels() const {
  PixelSize size;
  glfwGetFramebufferSize(window_, &size.width, &size.height);
  return size;
}

float Window::scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::max(1.0F, y);
}

bool Window::closed() const {
  return glfwWindowShouldClose(window_) == GLFW_TRUE;
}

bool Window::full_screen() const {
  return glfwGetWindowMonitor(window_) != nullptr;
}

void Window::set_full_screen(bool full) {
  if (full == full_screen()) return;
  if (!full) {
    glfwSetWindowMonitor(window_, nullptr, 80, 80, before_.width, before_.height, GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* screen = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = screen == nullptr ? nullptr : glfwGetVideoMode(screen);
  if (mode == nullptr) throw Error(fmt::format("No monitor was found for full screen ({}).", why()));
  glfwGetWindowSize(window_, &before_.width, &before_.height);
  glfwSetWindowMonitor(window_, screen, 0, 0, mode->width, mode->height, mode->refreshRate);
}

/// Must run before ImGui installs its own callbacks, which then call these.
void Window::notice_events() {
  glfwSetWindowUserPointer(window_, this);
  // ImGui needs several frames to follow an event: hover, press, and the result.
  static constexpr auto stir = [](GLFWwindow* window, auto...) {
    static_cast<Window*>(glfwGetWindowUserPointer(window))->stirred_ = 3;
  };
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int, int action, int modifiers) {
    constexpr int others = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    if (action == GLFW_PRESS && key != GLFW_KEY_UNKNOWN && (modifiers & others) == 0)
      static_cast<Window*>(glfwGetWindowUserPointer(window))->presses_.push_back(key);
    stir(window);
  });
  glfwSetCharCallback(window_, stir);
  glfwSetMouseButtonCallback(window_, stir);
  glfwSetCursorPosCallback(window_, stir);
  glfwSetCursorEnterCallback(window_, stir);
  glfwSetScrollCallback(window_, stir);
  glfwSetWindowFocusCallback(window_, stir);
  glfwSetFramebufferSizeCallback(window_, stir);
  glfwSetWindowRefreshCallback(window_, stir);
  stir(window_);
}

void Window::show() {
  glfwSwapBuffers(window_);
  if (stirred_ > 0) --stirred_;
}

/// Without this pause, drivers that do not wait for vertical sync would draw continuously and take processor
/// time from the computation.
void Window::wait() {
  glfwPollEvents();
  for (double left = 0; (left = waited_ + shortest_ - glfwGetTime()) > 0;) glfwWaitEventsTimeout(left);
  waited_ = glfwGetTime();
  if (glfwJoystickIsGamepad(GLFW_JOYSTICK_1) == GLFW_TRUE)
    stirred_ = std::max(stirred_, 1);  // the gamepad sends no events
}

}  // namespace isolume::stage
