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
  /// `window`: whose keyboard and mouse count; null: nobody's. `scale`: of texts, 1 on usual screens.
  OverlayView(Window* window, float scale);
  ~OverlayView();
  OverlayView(const OverlayView&) = delete;
  OverlayView& operator=(const OverlayView&) = delete;

  /// Takes what people did, and lays out what is shown. `seconds`: since the last time.
  void lay_out(Stage& stage, PixelSize size, float seconds);
  /// On the current framebuffer.
  void draw() const;

 private:
  void panel(Stage& stage);
  void time_controls(Stage& stage);
  /// Returns where it ends, from above.
  float graphs(const Stage& stage) const;
  void legend(const Stage& stage, float top) const;
  void captions(const Stage& stage) const;
  void help() const;

  Window* window_;
  float scale_;
  ImFont* large_ = nullptr;
  MovieDialog movie_dialog_;
};

}  // namespace isolume::stage
