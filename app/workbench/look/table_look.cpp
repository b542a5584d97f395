#include "app/workbench/look/table_look.h"

#include <QHeaderView>
#include <QTableView>

namespace isolume::workbench {

void set_table_look(QTableView& table) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSortingEnabled(true);
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 6);
  table.horizontalHeader()->setHighlightSections(false);
}

}  // namespace isolume::workbench
