#pragma once

class QTableView;

namespace isolume::workbench {

/// How tables of data look: whole rows are selected, columns sort, and all rows have one height, since measuring each of
/// 10,000 would take longer than a frame.
void set_table_look(QTableView& table);

}  // namespace isolume::workbench
