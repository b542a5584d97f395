#pragma once

#include "app/stage/stage.h"

namespace isolume::stage {

/// What a person does, as ImGui heard of it since its last frame; nothing that is meant for a slider or a text box.
void take_keys(Stage& stage);
void take_mouse(Stage& stage);
/// GLFW's gamepads.
void take_gamepad(Stage& stage, float seconds);

}  // namespace isolume::stage
