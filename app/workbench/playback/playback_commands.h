#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace isolume::workbench {

class CommandRegistry;
class Playback;

/// Binds the commands of `playback_declarations` to a playback; `unavailable` as in Command.
void add_playback_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                           const std::function<std::string()>& unavailable);
/// Binds PREFIX.play, with Space as its key, and PREFIX.stop. `play`: what runs instead of Playback::play.
void add_play_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                       std::function<void()> play = nullptr);

/// For sessions: speed and direction of time.
nlohmann::json state_of(const Playback& playback);
/// Throws JSON's exceptions.
void set_state(Playback& playback, const nlohmann::json& state);

}  // namespace isolume::workbench
