#include "app/stage/turn.h"

#include <chrono>

#include "core/base/clock.h"

namespace isolume::stage {

void take_turn(Window& window, Stage& stage, OverlayView& overlays, double seconds) {
  stage.advance(seconds);
  const PixelSize size = window.pixels();
  const bool iconified = size.width == 0 || size.height == 0;
  if (!iconified && (stage.picture_due() || window.stirred())) {
    const auto begun = std::chrono::steady_clock::now();
    stage.draw(size, 0);
    overlays.lay_out(stage, size, static_cast<float>(seconds));
    overlays.draw();
    stage.picture_done(size, 0);
    window.show();
    stage.picture_took(seconds_since(begun));
  }
  window.wait();
}

}  // namespace isolume::stage
