#pragma once

namespace isolume::workbench {

class MainWindow;

/// The workbench's own commands (see declared_commands), with what they do in this window.
void add_window_commands(MainWindow& window);

}  // namespace isolume::workbench
