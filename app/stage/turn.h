#pragma once

#include "app/stage/overlay_view.h"
#include "app/stage/stage.h"
#include "app/stage/window.h"

namespace isolume::stage {

/// What happens again and again while a window is open: `seconds` went by, a picture is drawn where one is due, and
/// people's next doings are taken.
void take_turn(Window& window, Stage& stage, OverlayView& overlays, double seconds);

}  // namespace isolume::stage
