#pragma once

#include "app/stage/scene.h"

namespace isolume::stage {

/// What colours mean, in ImGui's current window: a bar with the values of its ends, or a line for each colour.
void draw_legend(const Legend& legend, float scale);

}  // namespace isolume::stage
