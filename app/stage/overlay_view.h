#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/pictures/label_layout.h"
#include "app/stage/movie_dialog.h"
#include "app/stage/stage.h"
#include "app/stage/window.h"

struct ImFont;

namespace isolume::stage {

/// Overlays of the scene, drawn by Dear ImGui: panel, captions, help. It also handles keyboard and mouse
/// input received by ImGui. Only one may exist at a time; the OpenGL context must be current.
class OverlayView {
 public:
  /// `window`: source of keyboard and mouse input; may be null. `scale`: size of texts and panels, 1 on
  /// normal screens; 0 follows the picture's size (scale_of()).
  OverlayView(Window* window, float scale);
  ~OverlayView();
  OverlayView(const OverlayView&) = delete;
  OverlayView& operator=(const OverlayView&) = delete;

  /// Handles input and lays out the overlays. `seconds`: time since the last call.
  void lay_out(Stage& stage, PixelSize size, float seconds);
  /// Draws on the current framebuffer.
  void draw() const;

 private:
  void set_scale(float scale);
  void panel(Stage& stage);
  void time_controls(Stage& stage);
  /// Returns the y coordinate of its lower end.
  float graphs(const Stage& stage) const;
  void legend(const Stage& stage, float top) const;
  void captions(const Stage& stage, PixelSize picture);
  void marks(const Stage& stage, PixelSize size);
  void help() const;

  Window* window_;
  float chosen_scale_;
  float scale_ = 0;
  ImFont* large_ = nullptr;
  MovieDialog movie_dialog_;
  std::vector<pictures::PictureBox> caption_boxes_;  ///< those of this picture; y is downwards, as in ImGui
  std::map<std::string, int> sides_;  ///< of the bodies, where their names were in the last picture
};

/// Size of texts and panels in a picture of `size` pixels on a screen that asks for `screen` (1, or 2 where
/// pixels are small): From a height of 1080 pixels on, texts scale with the picture; in narrow pictures
/// panels leave room for each other.
float scale_of(PixelSize size, float screen);

}  // namespace isolume::stage
