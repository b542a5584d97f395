#pragma once

#include <QWidget>
#include <vector>

#include "app/workbench/machine.h"

class QTreeWidget;

namespace isolume::workbench {

/// What computes on this machine: the processor with its threads, vector instructions and memory, and the
/// GPUs or why there are none.
class DevicesPanel : public QWidget {
  Q_OBJECT
 public:
  explicit DevicesPanel(QWidget* parent = nullptr);
  void show_devices(const std::vector<MachineDevice>& devices);

 private:
  QTreeWidget* table_;
};

}  // namespace isolume::workbench
