#pragma once

#include <QImage>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace isolume::fields {
class Chart;
}

namespace isolume::labs::atlas {

struct SubjectRow {
  QString name, file;  ///< without and with what the names of all have at their end
  QImage picture;
  std::optional<double> age;         ///< years
  std::optional<double> age_weight;  ///< that of the kernel, where it counts
  double weight = 1;
  std::optional<double> moved_mm;  ///< root mean square; nothing before the average is finished
};

/// The images of an average with their weights, which are dragged, and the course of their spread.
class SubjectsPanel final : public QWidget {
  Q_OBJECT
 public:
  SubjectsPanel();
  void show_subjects(const std::vector<SubjectRow>& rows);
  void show_course(const QString& text, const std::vector<double>& spreads);

 Q_SIGNALS:
  void asked(const std::string& command);
  /// A hand has given the image with this number, from 0, another weight.
  void weighted(int index, double weight);
  /// Weights in between are one step: a slider is dragged.
  void gesture_begun();
  void gesture_ended();
  void chosen(int index);
  void removal_asked(int index);

 private:
  void add_row(int row);

  QTableWidget* table_;
  QPushButton* remove_;
  QLabel* text_;
  fields::Chart* chart_;
};

}  // namespace isolume::labs::atlas
