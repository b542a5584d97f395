#pragma once

namespace isolume::workbench {

class MainWindow;

/// Adds the workbench's own commands (see declared_commands), bound to this window.
void add_window_commands(MainWindow& window);

}  // namespace isolume::workbench
