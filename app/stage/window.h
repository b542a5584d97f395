#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  /// Whether the processor draws, which is to compute as well.
  bool processor_draws() const { return processor_draws_; }
  bool full_screen() const;
  void set_full_screen(bool full);
  /// Shows what has been drawn.
  void show();
  /// Takes what people did, until it is time to look whether there is something to draw: 60 times a second, or 30 times
  /// where the processor draws.
  void wait();
  /// Whether people did something, or the window must be drawn again, and what lies over the scene may not have
  /// followed yet.
  bool stirred() const { return stirred_ > 0; }
  /// Keys, as GLFW numbers them, that went down since the last call: also those that are up again, as of remote clickers,
  /// whose taps are shorter than a picture.
  std::vector<int> take_presses() { return std::exchange(presses_, {}); }

 private:
  void notice_events();

  GLFWwindow* window_ = nullptr;
  PixelSize before_{1280, 720};  ///< full screen
  bool processor_draws_ = false;
  double shortest_ = 1.0 / 60;  ///< between pictures, in seconds
  double waited_ = 0;           ///< until when, in GLFW's seconds
  int stirred_ = 0;             ///< pictures to come
  std::vector<int> presses_;
};

}  // namespace isolume::stage
