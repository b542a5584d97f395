#pragma once

#include <span>

#include "app/stage/stage.h"

struct GLFWgamepadstate;

namespace isolume::stage {

/// Handle the input since the last frame, except input for a slider or a text box. `presses`: GLFW's codes of the keys that
/// were pressed, one for each press.
void take_keys(Stage& stage, std::span<const int> presses);
void take_mouse(Stage& stage);
/// Handles the current state of a gamepad.
void take_gamepad(Stage& stage, const GLFWgamepadstate& now, float seconds);

}  // namespace isolume::stage
