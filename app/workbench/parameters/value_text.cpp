#include "app/workbench/parameters/value_text.h"

#include <QObject>
#include <variant>

#include "app/scene/drawing/text_style.h"
#include "core/base/shown_number.h"

namespace isolume::workbench {

std::string value_for_people(const parameters::Description& description, const parameters::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value))
    return (*flag ? QObject::tr("on") : QObject::tr("off")).toStdString();
  if (description.kind == parameters::Kind::choice) {
    for (const auto& choice : description.choices) {
      if (choice.key == std::get<std::string>(value)) return choice.label;
    }
  }
  if (const std::string label = parameters::special_label(description, value); !label.empty()) return label;
  const double* real = std::get_if<double>(&value);
  const std::string text = real != nullptr ? shown_setting(*real) : parameters::to_text(value);
  return description.unit.empty() ? text : text + " " + scene::pretty_unit(description.unit);
}

}  // namespace isolume::workbench
