#pragma once

#include "app/stage/stage.h"

struct GLFWgamepadstate;

namespace isolume::stage {

/// What a person does, as ImGui heard of it since its last frame; nothing that is meant for a slider or a text box.
void take_keys(Stage& stage);
void take_mouse(Stage& stage);
/// The same with a gamepad, as it is now.
void take_gamepad(Stage& stage, const GLFWgamepadstate& now, float seconds);

}  // namespace isolume::stage
