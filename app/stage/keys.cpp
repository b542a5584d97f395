#include "app/stage/keys.h"

#include <array>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace isolume::stage {
namespace {

constexpr std::array all{
    Key{GLFW_KEY_SPACE, "Space", "stage.toggle", "play or pause"},
    Key{GLFW_KEY_PERIOD, ".", "stage.step 1", "next frame"},
    Key{GLFW_KEY_COMMA, ",", "stage.step -1", "previous frame"},
    Key{GLFW_KEY_R, "R", "stage.reverse", "reverse time"},
    Key{GLFW_KEY_EQUAL, "+", "stage.faster", "double the speed"},
    Key{GLFW_KEY_MINUS, "-", "stage.slower", "halve the speed"},
    Key{GLFW_KEY_HOME, "Home", "stage.restart", "restart from the beginning"},
    Key{GLFW_KEY_P, "P", "stage.present", "presenter mode: no panels, the camera moves by itself"},
    Key{GLFW_KEY_TAB, "Tab", "stage.panel", "show or hide the panel"},
    Key{GLFW_KEY_C, "C", "stage.caption", "show or hide the captions"},
    Key{GLFW_KEY_M, "M", "stage.movie", "record a movie of the current picture"},
    Key{GLFW_KEY_BACKSPACE, "Backspace", "view.reset", "reset the camera"},
    Key{GLFW_KEY_F11, "F11", "view.full-screen", "switch between full screen and window"},
    Key{GLFW_KEY_F1, "F1", "stage.help", "show or hide this help"},
    Key{GLFW_KEY_ESCAPE, "Esc", "stage.leave", "cancel a movie, leave help or presenter mode, then quit"},
};

constexpr std::array while_held{
    Held{"1 to 9, 0", "choose a scene; 0 the tenth"},
    Held{"drag, arrow keys", "turn about the centre"},
    Held{"wheel, Page Up/Down", "zoom"},
    Held{"right drag, W A S D Q E", "fly: forwards, left, back, right, down, up; Shift: faster"},
    Held{
        "gamepad",
        "left stick flies, right stick turns, triggers zoom; A plays, B reverses, X presents, bumpers change "
        "the scene"},
};

}  // namespace

std::span<const Key> keys() {
  return all;
}

std::span<const Held> held() {
  return while_held;
}

}  // namespace isolume::stage
