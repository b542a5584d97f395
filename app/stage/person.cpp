#include "app/stage/person.h"

#include <algorithm>
#include <array>
#include <cmath>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>  // closes open lists

#include "app/stage/keys.h"

namespace isolume::stage {
namespace {

constexpr float turns_a_second = 1.5F;  ///< radians, while a key is held
constexpr float flies_a_second = 0.7F;  ///< distances to the focus
constexpr float zooms_a_second = 2.0F;  ///< factor
constexpr float radians_a_pixel = 0.005F;
/// Limits the time step: while nothing moves no pictures are drawn, and a key pressed now has not been held
/// since the last one.
constexpr float longest_hold = 0.1F;  ///< seconds

float held_down(int positive, int negative) {
  return static_cast<float>(ImGui::IsKeyDown(positive)) - static_cast<float>(ImGui::IsKeyDown(negative));
}

/// Returns whether the camera moved.
bool move(Camera& camera, const glm::vec3& fly, float azimuth, float elevation, float zoom, float seconds) {
  if (fly == glm::vec3(0) && azimuth == 0 && elevation == 0 && zoom == 0) return false;
  camera.fly(flies_a_second * seconds * fly);
  camera.turn(turns_a_second * seconds * azimuth, turns_a_second * seconds * elevation);
  camera.zoom(std::pow(zooms_a_second, seconds * zoom));
  return true;
}

float without_drift(float axis) {
  constexpr float dead = 0.15F;
  return std::abs(axis) < dead ? 0 : (axis - std::copysign(dead, axis)) / (1 - dead);
}

}  // namespace

void take_keys(Stage& stage, std::span<const int> presses) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {  // an open list has the keys
    if (std::ranges::find(presses, GLFW_KEY_ESCAPE) != presses.end()) ImGui::ClosePopupToLevel(0, true);
    return;
  }
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper) return;
  const float faster = io.KeyShift ? 4.0F : 1.0F;
  const glm::vec3 fly =
      faster * glm::vec3(held_down(GLFW_KEY_D, GLFW_KEY_A), held_down(GLFW_KEY_E, GLFW_KEY_Q),
                         held_down(GLFW_KEY_W, GLFW_KEY_S));
  bool acted = move(stage.camera(), fly, held_down(GLFW_KEY_RIGHT, GLFW_KEY_LEFT),
                    held_down(GLFW_KEY_UP, GLFW_KEY_DOWN), held_down(GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN),
                    std::min(io.DeltaTime, longest_hold));
  for (const int press : presses) {
    if (const auto key = std::ranges::find(keys(), press, &Key::code); key != keys().end()) {
      stage.run(key->command);
      acted = press != GLFW_KEY_P;
    }
    // 1 to 9, then 0 for the tenth.
    const auto scene = static_cast<std::size_t>(press == GLFW_KEY_0 ? 9 : press - GLFW_KEY_1);
    if (press < GLFW_KEY_0 || press > GLFW_KEY_9 || scene >= stage.choices().size()) continue;
    stage.run("stage.scene " + stage.choices()[scene].name);
    acted = true;
  }
  if (acted) stage.presenter().touched();
}

void take_mouse(Stage& stage) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantCaptureMouse) {
    if (ImGui::IsAnyMouseDown()) stage.presenter().touched();
    return;
  }
  Camera& camera = stage.camera();
  bool acted = false;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    camera.turn(-radians_a_pixel * io.MouseDelta.x, radians_a_pixel * io.MouseDelta.y);
    acted = true;
  }
  if (ImGui::IsMouseDown(ImGuiMouseButton_Right) || ImGui::IsMouseDown(ImGuiMouseButton_Middle)) {
    const float height = camera.picture_height() / camera.distance /
                         io.DisplaySize.y;  // size of a pixel in distances to the focus
    camera.fly({-height * io.MouseDelta.x, height * io.MouseDelta.y, 0});
    acted = true;
  }
  constexpr float notch = 1.12F;
  if (io.MouseWheel != 0) {
    camera.zoom(std::pow(notch, io.MouseWheel));
    acted = true;
  }
  if (acted) stage.presenter().touched();
}

void take_gamepad(Stage& stage, const GLFWgamepadstate& now, float seconds) {
  static_assert(GLFW_GAMEPAD_BUTTON_LAST < 32);
  const auto axis = [&](int which) { return without_drift(now.axes[which]); };
  const float trigger =
      0.5F * (now.axes[GLFW_GAMEPAD_AXIS_RIGHT_TRIGGER] - now.axes[GLFW_GAMEPAD_AXIS_LEFT_TRIGGER]);
  bool acted = move(stage.camera(), {axis(GLFW_GAMEPAD_AXIS_LEFT_X), 0, -axis(GLFW_GAMEPAD_AXIS_LEFT_Y)},
                    axis(GLFW_GAMEPAD_AXIS_RIGHT_X), -axis(GLFW_GAMEPAD_AXIS_RIGHT_Y),
                    2 * without_drift(trigger), seconds);
  constexpr std::array<std::pair<int, const char*>, 5> buttons{
      {{GLFW_GAMEPAD_BUTTON_A, "stage.toggle"},
       {GLFW_GAMEPAD_BUTTON_B, "stage.reverse"},
       {GLFW_GAMEPAD_BUTTON_X, "stage.present"},
       {GLFW_GAMEPAD_BUTTON_RIGHT_BUMPER, "stage.next 1"},
       {GLFW_GAMEPAD_BUTTON_LEFT_BUMPER, "stage.next -1"}}};
  unsigned pressed = 0;
  for (const auto& [button, command] : buttons) {
    if (now.buttons[button] == GLFW_PRESS) pressed |= 1U << button;
  }
  for (const auto& [button, command] : buttons) {
    if ((pressed & ~stage.gamepad_buttons & 1U << button) == 0) continue;
    stage.run(command);
    acted = button != GLFW_GAMEPAD_BUTTON_X;
  }
  stage.gamepad_buttons = pressed;
  if (acted) stage.presenter().touched();
}

}  // namespace isolume::stage
