#pragma once

#include <QWidget>

class QLabel;

#include "core/fields/numbers.h"

namespace isolume::fields {

class Chart;

/// Numbers of the shown field: a histogram of its values, and their profile along a line.
class FieldPanel final : public QWidget {
  Q_OBJECT
 public:
  /// `how_to_choose_a_line` is shown in place of the profile while no line is chosen.
  explicit FieldPanel(const QString& how_to_choose_a_line, QWidget* parent = nullptr);

  /// `marks`: marked values, such as the isovalue.
  void set_histogram(const Histogram& histogram, const QString& unit, const std::vector<double>& marks);
  /// `ground` above 0: start of a logarithmic scale.
  void set_profile(const Profile& profile, const QString& name, const QString& length_unit,
                   const QString& unit, double ground = 0);
  /// Shows `why` in place of the profile; if it is empty, how to choose a line.
  void clear_profile(const QString& why = {});
  /// Statistics of the whole field, above the charts; may be empty.
  void set_note(const QString& note);
  void clear();

 private:
  const QString how_to_choose_a_line_;
  QLabel* note_;
  Chart* values_;
  Chart* line_;
};

}  // namespace isolume::fields
