#pragma once

#include <QWidget>
#include <functional>

#include "app/workbench/parameters/parameter_panel.h"

class QLabel;
class QPushButton;

namespace isolume::labs::nbody {

/// How people branch a run, and set the parameters of the branch.
class BranchPanel final : public QWidget {
  Q_OBJECT
 public:
  /// `ask` runs a command, by its name.
  BranchPanel(std::function<void(const char* command)> ask, workbench::ParameterActions actions,
              QWidget* parent = nullptr);

  /// `what` it is, and its parameters; null: there is none.
  void show_branch(const QString& what, const parameters::ParameterSet* parameters);

 private:
  QPushButton* add_button(const char* command, const QString& text, const QString& tip);

  std::function<void(const char* command)> ask_;
  QLabel* what_;
  QPushButton* keep_;
  QPushButton* close_;
  workbench::ParameterPanel* parameters_;
};

}  // namespace isolume::labs::nbody
