#pragma once

#include <functional>
#include <string>

namespace isolume::workbench {

class CommandRegistry;
class Playback;

/// What a PlaybackBar asks for beside play and stop, as commands: PREFIX.step, .seek, .speed, .reverse and
/// .loop. `unavailable` as in Command. Throws as CommandRegistry::add.
void add_playback_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                           const std::function<std::string()>& unavailable);

}  // namespace isolume::workbench
