#pragma once

#include <optional>
#include <string>

struct GLFWwindow;

namespace isolume::stage {

struct PixelSize {
  int width = 0, height = 0;
};

/// A window, or the whole of the first screen, with an OpenGL 3.3 core context that is current while it lives.
class Window {
 public:
  /// `size`: of a window; nothing: the whole screen. Throws Error where there is no display, or no OpenGL 3.3, saying
  /// what can be done.
  explicit Window(const std::string& title, std::optional<PixelSize> size);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  GLFWwindow* handle() const { return window_; }
  PixelSize pixels() const;
  /// Of texts and sliders: 2 where the screen has twice the usual number of pixels an inch.
  float scale() const;
  bool closed() const;
  bool full_screen() const;
  void set_full_screen(bool full);
  /// Shows what has been drawn, and takes what people did; no more than 60 pictures a second,
  /// or 30 where the processor draws them.
  void show();

 private:
  GLFWwindow* window_ = nullptr;
  PixelSize before_{1280, 720};  ///< full screen
  double shortest_ = 1.0 / 60;   ///< between pictures, in seconds
  double shown_ = 0;             ///< when the last picture was, in GLFW's seconds
};

}  // namespace isolume::stage
