#pragma once

#include "app/stage/scene.h"

namespace isolume::stage {

/// Draws a legend in ImGui's current window: a colour bar with the values at its ends, or a line for each
/// colour.
void draw_legend(const Legend& legend, float scale);

}  // namespace isolume::stage
