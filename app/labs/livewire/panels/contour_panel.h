#pragma once

#include <QList>
#include <QTimer>
#include <QWidget>
#include <string>
#include <vector>

class QAction;
class QTreeWidget;
class QTreeWidgetItem;

namespace isolume::labs::livewire {

class Workspace;

/// Labels with their contours by slice: names that can be edited, ticks for shown and locked, and buttons and
/// a context menu for the rest. Everything done here is a command.
class ContourPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ContourPanel(Workspace& workspace);
  /// Whether it waits for the hand to rest.
  bool waits() const { return rest_.isActive(); }

 private:
  void rebuild();
  void follow_label();
  void follow_selection();
  void take_change(QTreeWidgetItem* item, int column);
  void take_choice();
  void add_actions();
  void follow_row();
  /// Runs contour.VERB or label.VERB for the row.
  void run(const QTreeWidgetItem& row, const std::string& verb,
           const std::vector<std::string>& arguments = {});
  void add_label();
  void choose_colour();
  void remove();
  void show_menu(const QPoint& place);

  Workspace& workspace_;
  QTreeWidget* tree_;
  QList<QAction*> row_actions_;  ///< what is done with a row
  QAction* label_colour_ = nullptr;
  int chosen_label_ = 0;  ///< whose row was chosen last; 0: a contour's, or none
  QTimer rest_;
  bool following_ = false;  ///< what the tree now reports is the model's doing
};

}  // namespace isolume::labs::livewire
