#include "app/workbench/parameters/number_box.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/shown_number.h"

namespace isolume::workbench {

NumberBox::NumberBox(bool logarithmic, QWidget* parent) : QDoubleSpinBox(parent), logarithmic_(logarithmic) {
  setDecimals(15);  // the box rounds to its decimals
  setKeyboardTracking(false);
  setAccelerated(true);
}

void NumberBox::set_special_values(std::vector<parameters::SpecialValue> values) {
  special_values_ = std::move(values);
}

const parameters::SpecialValue* NumberBox::special_from(const QString& text) const {
  const auto found = std::ranges::find_if(special_values_, [&](const parameters::SpecialValue& each) {
    return QString::fromStdString(each.label).compare(text.trimmed(), Qt::CaseInsensitive) == 0;
  });
  return found == special_values_.end() ? nullptr : &*found;
}

QString NumberBox::textFromValue(double value) const {
  for (const auto& each : special_values_) {
    if (each.value == value) return QString::fromStdString(each.label);
  }
  return QString::fromStdString(shown_setting(value));
}

QString NumberBox::without_unit(const QString& text) const {
  QString number = text.trimmed();
  const QString unit = suffix().trimmed();
  if (!unit.isEmpty() && number.endsWith(unit)) number.chop(unit.size());
  return number.trimmed().replace(',', '.');
}

/// The text of a value is rounded: where it is left as it is, or typed text was taken back, the value stays.
double NumberBox::valueFromText(const QString& text) const {
  if (const auto* special = special_from(text)) return special->value;
  const QString number = without_unit(text);
  return number == textFromValue(value()) ? value() : number.toDouble();
}

QValidator::State NumberBox::validate(QString& text, int&) const {
  if (special_from(text) != nullptr) return QValidator::Acceptable;
  const bool may_become_special = std::ranges::any_of(special_values_, [&](const auto& each) {
    return QString::fromStdString(each.label).startsWith(text.trimmed(), Qt::CaseInsensitive);
  });
  if (may_become_special) return QValidator::Intermediate;
  const QString number = without_unit(text);
  bool is_number = false;
  const double value = number.toDouble(&is_number);
  if (is_number)
    return value >= minimum() && value <= maximum() ? QValidator::Acceptable : QValidator::Intermediate;
  static const QString allowed = "0123456789.eE+-";
  for (const QChar c : number) {
    if (!allowed.contains(c)) return QValidator::Invalid;
  }
  return QValidator::Intermediate;
}

void NumberBox::stepBy(int steps) {
  if (!logarithmic_ || value() <= 0) {
    QDoubleSpinBox::stepBy(steps);
    return;
  }
  setValue(value() * std::pow(1.1, steps));
  selectAll();
}

}  // namespace isolume::workbench

#include "moc_number_box.cpp"
