#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

struct GLFWwindow;

namespace isolume::stage {

struct PixelSize {
  int width = 0, height = 0;
  bool operator==(const PixelSize&) const = default;
};

/// A window, or the whole primary screen, with an OpenGL 3.3 core context that is current during its
/// lifetime.
class Window {
 public:
  /// `size`: size of the window; empty: full screen. Throws Error with advice if there is no display or no
  /// OpenGL 3.3.
  explicit Window(const std::string& title, std::optional<PixelSize> size);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  GLFWwindow* handle() const { return window_; }
  PixelSize pixels() const;
  /// Scale of texts and sliders: 2 if the screen has twice the normal number of pixels per inch.
  float scale() const;
  bool closed() const;
  /// Whether OpenGL draws on the processor, which is also needed for computing.
  bool processor_draws() const { return processor_draws_; }
  bool full_screen() const;
  void set_full_screen(bool full);
  /// Presents the drawn picture.
  void show();
  /// Handles input until it is time to check for a new picture: 60 times per second, or 30 times if the
  /// processor draws.
  void wait();
  /// Whether there was input or the window must be redrawn, and the overlays may not have followed yet.
  bool stirred() const { return stirred_ > 0; }
  /// GLFW codes of the keys pressed since the last call, including those already released: taps of remote
  /// clickers are shorter than a frame.
  std::vector<int> take_presses() { return std::exchange(presses_, {}); }

 private:
  void notice_events();

  GLFWwindow* window_ = nullptr;
  PixelSize before_{1280, 720};  ///< size before full screen
  bool processor_draws_ = false;
  double shortest_ = 1.0 / 60;  ///< between pictures, in seconds
  double waited_ = 0;           ///< end of the current wait, in GLFW's seconds
  int stirred_ = 0;             ///< pictures still to be drawn after input
  std::vector<int> presses_;
};

}  // namespace isolume::stage
