#include "app/workbench/number_box.h"

#include <cmath>

#include "core/base/shown_number.h"

namespace isolume::workbench {

NumberBox::NumberBox(bool logarithmic, QWidget* parent) : QDoubleSpinBox(parent), logarithmic_(logarithmic) {
  setDecimals(15);  // the box rounds to its decimals
  setKeyboardTracking(false);
  setAccelerated(true);
}

QString NumberBox::textFromValue(double value) const {
  return QString::fromStdString(shown_setting(value));
}

QString NumberBox::without_unit(const QString& text) const {
  QString number = text.trimmed();
  const QString unit = suffix().trimmed();
  if (!unit.isEmpty() && number.endsWith(unit)) number.chop(unit.size());
  return number.trimmed().replace(',', '.');
}

double NumberBox::valueFromText(const QString& text) const {
  return without_unit(text).toDouble();
}

QValidator::State NumberBox::validate(QString& text, int&) const {
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
