#include "app/stage/legend_bar.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "core/base/shown_number.h"

namespace isolume::stage {
namespace {

ImU32 on_screen(const opengl::Vector3& light) {
  const auto srgb = [](float linear) {
    const float shown = linear <= 0.0031308F ? 12.92F * linear : 1.055F * std::pow(linear, 1 / 2.4F) - 0.055F;
    return static_cast<int>(std::lround(255 * std::clamp(shown, 0.0F, 1.0F)));
  };
  return IM_COL32(srgb(light[0]), srgb(light[1]), srgb(light[2]), 255);
}

void right_aligned(const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(room, 0.0F));
  ImGui::TextUnformatted(text.c_str());
}

void bar(const Legend& legend, float scale) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = 12 * scale;
  const auto parts = static_cast<float>(legend.colours.size() - 1);
  for (std::size_t i = 0; i + 1 < legend.colours.size(); ++i) {
    const float left = from.x + width * static_cast<float>(i) / parts;
    const float right = from.x + width * static_cast<float>(i + 1) / parts;
    const ImU32 low = on_screen(legend.colours[i]), high = on_screen(legend.colours[i + 1]);
    list.AddRectFilledMultiColor({left, from.y}, {right, from.y + height}, low, high, high, low);
  }
  ImGui::Dummy({width, height});
  ImGui::TextUnformatted(shown_reading(legend.low, 3).c_str());
  ImGui::SameLine();
  right_aligned(shown_reading(legend.high, 3));
  if (legend.logarithmic) ImGui::TextDisabled("logarithmic scale");
}

void names(const Legend& legend) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float side = ImGui::GetTextLineHeight();
  for (std::size_t i = 0; i < legend.names.size(); ++i) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    list.AddRectFilled(from, {from.x + side, from.y + side},
                       on_screen(legend.colours[i % legend.colours.size()]), 0.2F * side);
    ImGui::Dummy({side, side});
    ImGui::SameLine();
    ImGui::TextUnformatted(legend.names[i].c_str());
  }
}

}  // namespace

void draw_legend(const Legend& legend, float scale) {
  ImGui::TextUnformatted(legend.title.c_str());
  if (legend.names.empty()) {
    bar(legend, scale);
  } else {
    names(legend);
  }
}

}  // namespace isolume::stage
