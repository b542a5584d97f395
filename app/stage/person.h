#pragma once

#include "app/stage/stage.h"

struct GLFWgamepadstate;

namespace isolume::stage {

/// Handles the input that ImGui received since its last frame, except input for a slider or a text box.
void take_keys(Stage& stage);
void take_mouse(Stage& stage);
/// Handles the current state of a gamepad.
void take_gamepad(Stage& stage, const GLFWgamepadstate& now, float seconds);

}  // namespace isolume::stage
