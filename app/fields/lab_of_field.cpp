#include "app/fields/lab_of_field.h"

#include "app/workbench/playback/playback_commands.h"

namespace isolume::fields {

std::function<nlohmann::json()> LabOfField::state() const {
  return [time = workbench::state_of(field_playback().time())] { return time; };
}

void LabOfField::restore(const nlohmann::json& state) {
  workbench::set_state(field_playback().time(), state);
  field_window().leave_camera();
}

std::vector<std::string> LabOfField::goes_with(std::string_view key, const parameters::Value& value) const {
  const std::string mode = parameters::to_text(value);
  if (key == "isovalue-mode") return {mode == "value" ? "isovalue" : "enclosed"};
  // A picture without a coloured surface keeps the previous limit.
  if (key == "shown" || key == "colour-by") return {"colour-limit", "colour-range"};
  if (key != "colour-range") return {};
  if (mode == "locked") return {"colour-limit"};
  if (mode == "free") return {"colour-low", "colour-high"};
  return {};
}

}  // namespace isolume::fields
