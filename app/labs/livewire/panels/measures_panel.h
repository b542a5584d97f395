#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <cstdint>
#include <vector>

class QLabel;
class QTableWidget;

namespace isolume::labs::livewire {

class Workspace;

/// Lengths, areas and intensities of all contours, found by a job when the hand rests. Where the panel is
/// narrow, the table has the chief ones, and a line below it the others of the selected contour.
class MeasuresPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MeasuresPanel(Workspace& workspace);
  /// Whether it waits for the hand to rest.
  bool waits() const { return rest_.isActive(); }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Row {
    std::uint64_t contour;  ///< 0: a label's
    QStringList cells;
  };
  void measure();
  void show_rows(const std::vector<Row>& rows);
  void fit_columns();
  void follow_selection();
  void show_details();
  void copy() const;

  Workspace& workspace_;
  QTableWidget* table_;
  QLabel* details_;
  QTimer rest_;
};

}  // namespace isolume::labs::livewire
