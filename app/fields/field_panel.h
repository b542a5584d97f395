#pragma once

#include <QWidget>

class QLabel;

#include "core/fields/numbers.h"

namespace isolume::fields {

class Chart;

/// The numbers of the field that is shown: how often its values occur, and how they run along a line.
class FieldPanel final : public QWidget {
  Q_OBJECT
 public:
  /// `how_to_choose_a_line` stands in the place of the line's chart while there is none.
  explicit FieldPanel(const QString& how_to_choose_a_line, QWidget* parent = nullptr);

  /// `marks`: values that are marked, such as the isovalue.
  void set_histogram(const Histogram& histogram, const QString& unit, const std::vector<double>& marks);
  /// `ground` above 0: on a logarithmic scale that begins there.
  void set_profile(const Profile& profile, const QString& name, const QString& length_unit,
                   const QString& unit, double ground = 0);
  void clear_profile();
  /// Numbers of the whole field, above the charts; empty: none.
  void set_note(const QString& note);
  void clear();

 private:
  const QString how_to_choose_a_line_;
  QLabel* note_;
  Chart* values_;
  Chart* line_;
};

}  // namespace isolume::fields
