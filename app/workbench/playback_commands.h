#pragma once

#include <functional>
#include <string>

namespace isolume::workbench {

class CommandRegistry;
class Playback;

/// Binds them to a playback. They are declared by `playback_declarations`;
/// `unavailable` as in Command.
void add_playback_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                           const std::function<std::string()>& unavailable);

}  // namespace isolume::workbench
