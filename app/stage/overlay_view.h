#pragma once

#include "app/stage/movie_dialog.h"
#include "app/stage/stage.h"
#include "app/stage/window.h"

struct ImFont;

namespace isolume::stage {

/// What lies over the scene, drawn by Dear ImGui: panel, captions, help. And what people do with keyboard and mouse,
/// as ImGui heard of it. One at a time; the OpenGL context is current.
class OverlayView {
 public:
  /// `window`: source of keyboard and mouse input; may be null. `scale`: size of texts and panels, 1 on usual screens; 0
  /// follows the picture's size (scale_of()).
  OverlayView(Window* window, float scale);
  ~OverlayView();
  OverlayView(const OverlayView&) = delete;
  OverlayView& operator=(const OverlayView&) = delete;

  /// Takes what people did, and lays out what is shown. `seconds`: since the last time.
  void lay_out(Stage& stage, PixelSize size, float seconds);
  /// On the current framebuffer.
  void draw() const;

 private:
  void set_scale(float scale);
  void panel(Stage& stage);
  void time_controls(Stage& stage);
  /// Returns the height at which it ends, from above.
  float graphs(const Stage& stage) const;
  void legend(const Stage& stage, float top) const;
  void captions(const Stage& stage) const;
  void help() const;

  Window* window_;
  float chosen_scale_;
  float scale_ = 0;
  ImFont* large_ = nullptr;
  MovieDialog movie_dialog_;
};

/// Size of texts and panels in a picture of `size` pixels on a screen that asks for `screen` (1, or 2 where pixels are small): a text
/// takes the same part of the picture's height from 1080 pixels on, and in narrow pictures panels leave room for each other.
float scale_of(PixelSize size, float screen);

}  // namespace isolume::stage
