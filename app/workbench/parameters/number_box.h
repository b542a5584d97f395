#pragma once

#include <QDoubleSpinBox>
#include <vector>

#include "core/parameters/description.h"

namespace isolume::workbench {

/// A spin box for numbers of any magnitude. It shows typed numbers unchanged ("298.15"), computed ones with
/// four significant digits ("0.03184", "3.2e-7"), and whole numbers below a million in full, and keeps the
/// exact value; a logarithmic one steps by a tenth of its value.
class NumberBox : public QDoubleSpinBox {
  Q_OBJECT
 public:
  explicit NumberBox(bool logarithmic, QWidget* parent = nullptr);
  /// Numbers that are shown as words, which can be typed as well.
  void set_special_values(std::vector<parameters::SpecialValue> values);

  QString textFromValue(double value) const override;
  double valueFromText(const QString& text) const override;
  QValidator::State validate(QString& text, int& position) const override;
  void stepBy(int steps) override;

 private:
  QString without_unit(const QString& text) const;

  /// Null if the text is none of their labels.
  const parameters::SpecialValue* special_from(const QString& text) const;

  bool logarithmic_;
  std::vector<parameters::SpecialValue> special_values_;
};

}  // namespace isolume::workbench
