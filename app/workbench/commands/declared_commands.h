#pragma once

#include <string>
#include <vector>

#include "core/commands/declaration.h"

namespace isolume::workbench {

/// The workbench's own commands: script.*, session.*, file.*, edit.*, parameter.*, view.*, job.*, device.*, devices.*,
/// lab.*, command.*, help.* and app.quit. All need a window.
std::vector<commands::Declaration> declared_commands();

/// Commands for a PlaybackBar of a lab, in addition to play and stop: PREFIX.step, .seek, .speed, .reverse
/// and .loop. `counted`: what the bar counts, "time", "step" or "frame".
std::vector<commands::Declaration> playback_declarations(const std::string& prefix,
                                                         const std::string& counted = "time");

}  // namespace isolume::workbench
