#pragma once

namespace isolume::workbench {

class MainWindow;

/// The workbench's own commands: file.*, edit.*, parameter.*, view.*, job.*, device.*, devices.*, lab.*,
/// command.*, help.* and app.quit.
void add_window_commands(MainWindow& window);

}  // namespace isolume::workbench
