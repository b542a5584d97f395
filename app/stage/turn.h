#pragma once

#include "app/stage/overlay_view.h"
#include "app/stage/stage.h"
#include "app/stage/window.h"

namespace isolume::stage {

/// One iteration of the main loop of a window: advances by `seconds`, draws a picture if one is due, and
/// waits for input.
void take_turn(Window& window, Stage& stage, OverlayView& overlays, double seconds);

}  // namespace isolume::stage
