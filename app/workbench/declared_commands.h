#pragma once

#include <vector>

#include "core/commands/declaration.h"

namespace isolume::workbench {

/// The workbench's own commands: script.*, file.*, edit.*, parameter.*, view.*, job.*, device.*, devices.*,
/// lab.*, command.*, help.* and app.quit. All need a window.
std::vector<commands::Declaration> declared_commands();

}  // namespace isolume::workbench
