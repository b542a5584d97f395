#include "app/workbench/devices_panel.h"

#include <QTreeWidget>
#include <QVBoxLayout>

namespace isolume::workbench {

DevicesPanel::DevicesPanel(QWidget* parent) : QWidget(parent), table_(new QTreeWidget) {
  table_->setObjectName("devices");
  table_->setAccessibleName(tr("Devices"));
  table_->setHeaderLabels({tr("Device"), tr("Kind"), tr("Units"), tr("Memory"), tr("Note")});
  table_->setRootIsDecorated(false);
  table_->setAlternatingRowColors(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 4, 4);
  column->addWidget(table_);
}

void DevicesPanel::show_devices(const std::vector<MachineDevice>& devices) {
  table_->clear();
  for (const MachineDevice& device : devices) {
    QStringList cells;
    for (const auto& text : {device.name, device.kind, device.units, device.memory, device.note}) {
      cells << QString::fromStdString(text);
    }
    auto* row = new QTreeWidgetItem(table_, cells);
    for (int i = 0; i < cells.size(); ++i) row->setToolTip(i, cells[i]);
  }
  for (int i = 0; i < table_->columnCount(); ++i) table_->resizeColumnToContents(i);
}

}  // namespace isolume::workbench
