#pragma once

#include <QTimer>
#include <QWidget>

class QTreeWidget;
class QTreeWidgetItem;

namespace isolume::labs::livewire {

class Workspace;

/// Labels with their contours: names that can be edited, slices, ticks for shown and locked. Everything done
/// here is a command.
class ContourPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ContourPanel(Workspace& workspace);

 private:
  void rebuild();
  void follow_selection();
  void take_change(QTreeWidgetItem* item, int column);
  void take_choice();

  Workspace& workspace_;
  QTreeWidget* tree_;
  QTimer rest_;
  bool following_ = false;  ///< what the tree now reports is the model's doing
};

}  // namespace isolume::labs::livewire
