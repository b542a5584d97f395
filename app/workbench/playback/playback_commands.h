#pragma once

#include <functional>
#include <string>

namespace isolume::workbench {

class CommandRegistry;
class Playback;

/// Binds the commands of `playback_declarations` to a playback; `unavailable` as in Command.
void add_playback_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                           const std::function<std::string()>& unavailable);

}  // namespace isolume::workbench
