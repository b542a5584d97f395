#include "app/stage/parameter_sliders.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>  // whether a slider is typed in
#include <imgui_stdlib.h>

#include "core/base/shown_number.h"

namespace isolume::stage {
namespace {

using parameters::Description;
using parameters::Kind;
using parameters::Value;

/// Range of a slider; empty if the range is open.
std::optional<parameters::Range> slider_range(const Description& described) {
  if (described.usual) return described.usual;
  if (std::isfinite(described.low) && std::isfinite(described.high))
    return parameters::Range{described.low, described.high};
  return std::nullopt;
}

/// "0.03 bohr⁻³ᐟ²", or the label of a special value.
std::string text_of(const Description& described, const Value& now) {
  if (std::string label = parameters::special_label(described, now); !label.empty()) return label;
  const double* real = std::get_if<double>(&now);
  const std::string number = real != nullptr ? shown_reading(*real, 3) : parameters::to_text(now);
  return described.unit.empty() ? number : fmt::format("{} {}", number, pretty_unit(described.unit));
}

ImGuiSliderFlags flags_of(const Description& described) {
  return ImGuiSliderFlags_AlwaysClamp |
         (described.scale == parameters::Scale::logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
}

std::optional<Value> integer_slider(const Description& described, std::int64_t now) {
  const auto range = slider_range(described);
  bool changed = false;
  if (range) {
    const auto low = static_cast<std::int64_t>(range->low), high = static_cast<std::int64_t>(range->high);
    changed =
        slider_without_text("##value", ImGuiDataType_S64, &now, &low, &high, "%lld", flags_of(described));
  } else {
    changed = ImGui::InputScalar("##value", ImGuiDataType_S64, &now, nullptr, nullptr, "%lld",
                                 ImGuiInputTextFlags_EnterReturnsTrue);
  }
  return changed ? std::optional<Value>(now) : std::nullopt;
}

std::optional<Value> real_slider(const Description& described, double now) {
  const auto range = slider_range(described);
  const bool changed =
      range ? slider_without_text("##value", ImGuiDataType_Double, &now, &range->low, &range->high, "%.4g",
                                  flags_of(described))
            : ImGui::InputDouble("##value", &now, 0, 0, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue);
  return changed ? std::optional<Value>(now) : std::nullopt;
}

std::optional<Value> list(const Description& described, const std::string& now) {
  std::optional<Value> chosen;
  const auto label_of = [&](const std::string& key) {
    for (const auto& each : described.choices) {
      if (each.key == key) return each.label;
    }
    return key;
  };
  if (!ImGui::BeginCombo("##value", label_of(now).c_str())) return chosen;
  for (const auto& each : described.choices) {
    if (ImGui::Selectable(each.label.c_str(), each.key == now)) chosen = each.key;
  }
  ImGui::EndCombo();
  return chosen;
}

std::optional<Value> box(std::string now) {
  if (ImGui::InputText("##value", &now, ImGuiInputTextFlags_EnterReturnsTrue)) return now;
  return std::nullopt;
}

std::optional<Value> edited(const Description& described, const Value& now) {
  switch (described.kind) {
    case Kind::integer:
      return integer_slider(described, std::get<std::int64_t>(now));
    case Kind::real:
      return real_slider(described, std::get<double>(now));
    case Kind::choice:
      return list(described, std::get<std::string>(now));
    case Kind::text:
      return box(std::get<std::string>(now));
    case Kind::flag:
      break;
  }
  bool on = std::get<bool>(now);
  if (ImGui::Checkbox("##value", &on)) return on;
  return std::nullopt;
}

constexpr float label_part = 0.35F, value_part = 0.41F;  ///< fractions of the width

/// Draws a text, truncated at this distance from the window's left edge; the hint shows all of it.
void text_within(const std::string& text, float room) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float end = ImGui::GetWindowPos().x + room - ImGui::GetStyle().ItemSpacing.x;
  ImGui::PushClipRect(from, {end, from.y + ImGui::GetFrameHeight()}, true);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopClipRect();
}

}  // namespace

bool slider_without_text(const char* name, int type, void* now, const void* low, const void* high,
                         const char* format, int flags) {
  const bool typing = ImGui::TempInputIsActive(ImGui::GetID(name));
  if (!typing) ImGui::PushStyleColor(ImGuiCol_Text, 0);
  const bool changed = ImGui::SliderScalar(name, type, now, low, high, format, flags);
  if (!typing) ImGui::PopStyleColor();
  return changed;
}

void draw_parameter_sliders(const parameters::ParameterSet& set,
                            const std::function<void(const std::string&, const std::string&)>& change) {
  std::string group;
  bool open = true;
  for (const Description& each : set.descriptions()) {
    if (!parameters::relevant(each, set)) continue;
    if (each.group != group) {
      group = each.group;
      // Groups of rarely used parameters start collapsed.
      const bool rare = group == "Computation" || group == start_group;
      open = group.empty() || ImGui::CollapsingHeader(group.c_str(), rare ? ImGuiTreeNodeFlags_None
                                                                          : ImGuiTreeNodeFlags_DefaultOpen);
    }
    if (!open) continue;
    ImGui::PushID(each.key.c_str());
    ImGui::AlignTextToFramePadding();
    const float width = ImGui::GetWindowContentRegionMax().x;
    const Value now = set.get(each.key);
    const bool is_number = each.kind == Kind::integer || each.kind == Kind::real;
    const std::string shown = is_number ? text_of(each, now) : std::string();
    text_within(each.label, label_part * width);
    const auto hint = [&] {
      if (ImGui::IsItemHovered())
        ImGui::SetTooltip("%s%s%s: %s", each.label.c_str(), shown.empty() ? "" : ", ", shown.c_str(),
                          each.help.c_str());
    };
    hint();
    ImGui::SameLine(label_part * width);
    ImGui::SetNextItemWidth(is_number ? (1 - label_part - value_part) * width : -1);
    const auto value = edited(each, now);
    hint();
    if (is_number) {
      ImGui::SameLine();
      text_within(shown, width);
    }
    ImGui::PopID();
    if (value) change(each.key, parameters::to_text(*value));
  }
}

}  // namespace isolume::stage
