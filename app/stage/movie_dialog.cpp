#include "app/stage/movie_dialog.h"

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

namespace isolume::stage {
namespace {

/// A name in the current folder that no file has.
std::string free_name() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path name;
  for (int number = 1; number == 1 || fs::exists(name, ignored); ++number)
    name = fs::current_path(ignored) / (number == 1 ? "stage.mp4" : fmt::format("stage-{}.mp4", number));
  return name.string();
}

}  // namespace

void MovieDialog::lay_out(Stage& stage, float scale) {
  bool& open = stage.overlays().movie;
  if (!std::exchange(shown_, open) && open) path_ = free_name();
  if (!open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5F * screen.x, 0.5F * screen.y}, ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(520 * scale, 0.95F * screen.x), 0});
  ImGui::Begin("Movie", &open, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse);
  ImGui::InputText("File", &path_);
  ImGui::SliderFloat("Length", &seconds_, 1, 120, "%.0f s", ImGuiSliderFlags_Logarithmic);
  ImGui::TextWrapped(
      "Records what is shown, at 30 frames per second of the scene's time, as .mp4, .webm or "
      "frames/%%04d.png. Tab and C hide panel and captions. Esc cancels the movie.");
  if (ImGui::Button("Record")) {
    open = false;
    const std::array words{path_, fmt::format("{}", seconds_)};
    stage.run(commands::line_of("stage.movie", words));
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) open = false;
  ImGui::End();
}

}  // namespace isolume::stage
