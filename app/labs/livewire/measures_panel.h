#pragma once

#include <QTimer>
#include <QWidget>

class QTableWidget;

namespace isolume::labs::livewire {

class Workspace;

/// Lengths, areas and intensities of all contours, found by a job when the hand rests.
class MeasuresPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MeasuresPanel(Workspace& workspace);

 private:
  void measure();
  void show_rows(const std::vector<QStringList>& rows);
  void copy() const;

  Workspace& workspace_;
  QTableWidget* table_;
  QTimer rest_;
};

}  // namespace isolume::labs::livewire
