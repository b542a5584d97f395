#include "app/stage/parameter_sliders.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <imgui.h>
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

std::string literal(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped;
}

/// Format string for ImGui: "%.3g bohr", or the label of a special value.
std::string format_of(const Description& described, const Value& now, const char* number) {
  if (const std::string label = parameters::special_label(described, now); !label.empty())
    return literal(label);
  return described.unit.empty() ? number : fmt::format("{} {}", number, literal(pretty_unit(described.unit)));
}

ImGuiSliderFlags flags_of(const Description& described) {
  return ImGuiSliderFlags_AlwaysClamp |
         (described.scale == parameters::Scale::logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
}

std::optional<Value> integer_slider(const Description& described, std::int64_t now) {
  const std::string format = format_of(described, now, "%lld");
  const auto range = slider_range(described);
  bool changed = false;
  if (range) {
    const auto low = static_cast<std::int64_t>(range->low), high = static_cast<std::int64_t>(range->high);
    changed = ImGui::SliderScalar("##value", ImGuiDataType_S64, &now, &low, &high, format.c_str(),
                                  flags_of(described));
  } else {
    changed = ImGui::InputScalar("##value", ImGuiDataType_S64, &now, nullptr, nullptr, format.c_str(),
                                 ImGuiInputTextFlags_EnterReturnsTrue);
  }
  return changed ? std::optional<Value>(now) : std::nullopt;
}

std::optional<Value> real_slider(const Description& described, double now) {
  const std::string format = format_of(described, now, "%.4g");
  const auto range = slider_range(described);
  const bool changed =
      range ? ImGui::SliderScalar("##value", ImGuiDataType_Double, &now, &range->low, &range->high,
                                  format.c_str(), flags_of(described))
            : ImGui::InputDouble("##value", &now, 0, 0, format.c_str(), ImGuiInputTextFlags_EnterReturnsTrue);
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

constexpr float label_part = 0.44F;  ///< fraction of the width

/// Draws the label, truncated to the available room; the hint shows all of it.
void label(const std::string& text, float room) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float end = ImGui::GetWindowPos().x + room - ImGui::GetStyle().ItemSpacing.x;
  ImGui::PushClipRect(from, {end, from.y + ImGui::GetFrameHeight()}, true);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopClipRect();
}

}  // namespace

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
    label(each.label, label_part * ImGui::GetWindowContentRegionMax().x);
    const auto hint = [&] {
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s: %s", each.label.c_str(), each.help.c_str());
    };
    hint();
    ImGui::SameLine(label_part * ImGui::GetWindowContentRegionMax().x);
    ImGui::SetNextItemWidth(-1);
    const auto value = edited(each, set.get(each.key));
    hint();
    ImGui::PopID();
    if (value) change(each.key, parameters::to_text(*value));
  }
}

}  // namespace isolume::stage
