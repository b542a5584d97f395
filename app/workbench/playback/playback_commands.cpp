#include "app/workbench/playback/playback_commands.h"

#include <QObject>
#include <cmath>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/playback/playback.h"
#include "core/base/error.h"

namespace isolume::workbench {

using simulation::Clock;

void add_playback_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                           const std::function<std::string()>& unavailable) {
  const auto add = [&](const char* verb, commands::Action run, std::function<bool()> checked = nullptr) {
    commands.bind(prefix + "." + verb, std::move(run), unavailable, {.checked = std::move(checked)});
  };
  add("step", [&playback](const Arguments& arguments) { playback.step(arguments.integer("frames")); });
  add("seek", [&playback](const Arguments& arguments) {
    double time = 0;
    for (const char* counted : {"time", "step", "frame"}) {
      if (arguments.has(counted)) time = arguments.number(counted);
    }
    if (playback.counts_frames() && time != std::floor(time))
      throw Error(said(QObject::tr("%1 lies between two %2. Give a whole number."), time,
                       playback.unit().toStdString()));
    playback.scrub(time);
  });
  add("speed", [&playback](const Arguments& arguments) { playback.set_speed(arguments.number("factor")); });
  add(
      "reverse", [&playback](const Arguments&) { playback.set_reversed(!playback.clock().reversed()); },
      [&playback] { return playback.clock().reversed(); });
  add(
      "loop",
      [&playback](const Arguments&) {
        const bool loops = playback.clock().at_end() == Clock::AtEnd::loop;
        playback.set_at_end(loops ? Clock::AtEnd::stop : Clock::AtEnd::loop);
      },
      [&playback] { return playback.clock().at_end() == Clock::AtEnd::loop; });
}

void add_play_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                       std::function<void()> play) {
  if (!play) play = [&playback] { playback.play(); };
  commands.bind(prefix + ".play", [play = std::move(play)](const Arguments&) { play(); }, nullptr,
                {.shortcut = "Space", .checked = [&playback] { return playback.playing(); }});
  commands.bind(prefix + ".stop", [&playback](const Arguments&) { playback.pause(); });
}

nlohmann::json state_of(const Playback& playback) {
  return {{"speed", playback.clock().speed()}, {"reversed", playback.clock().reversed()}};
}

void set_state(Playback& playback, const nlohmann::json& state) {
  playback.set_speed(state.at("speed").get<double>());
  playback.set_reversed(state.at("reversed").get<bool>());
}

}  // namespace isolume::workbench
