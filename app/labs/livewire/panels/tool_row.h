#pragma once

#include <QWidget>

class QToolButton;

namespace isolume::labs::livewire {

class Workspace;

/// Buttons above the large view for what the left button does there: trace, paint, erase or fill. The pressed one is that
/// of the tool in use, also of one that is chosen by holding a key.
class ToolRow : public QWidget {
  Q_OBJECT
 public:
  explicit ToolRow(Workspace& workspace);

 private:
  QToolButton* add(const QString& title, const QString& help, const char* command);
  void follow();

  Workspace& workspace_;
  QToolButton *trace_, *paint_, *erase_, *fill_;
};

}  // namespace isolume::labs::livewire
