#include "app/workbench/playback_commands.h"

#include <span>
#include <utility>

#include "app/workbench/command_registry.h"
#include "app/workbench/playback.h"
#include "core/parameters/description.h"

namespace isolume::workbench {
namespace {

using simulation::Clock;
using Arguments = std::span<const std::string>;

double number(Arguments arguments, const char* key) {
  parameters::Description description;
  description.key = key;
  description.kind = parameters::Kind::real;
  description.low = -1e300;
  description.high = 1e300;
  return std::get<double>(parameters::parse(description, arguments.front()));
}

}  // namespace

void add_playback_commands(CommandRegistry& commands, const std::string& prefix, Playback& playback,
                           const std::function<std::string()>& unavailable) {
  const auto add = [&](const char* verb, const char* title, const char* help, const char* arguments,
                       std::function<void(Arguments)> run, std::function<bool()> checked = nullptr) {
    commands.add({.name = prefix + "." + verb,
                  .title = title,
                  .help = help,
                  .arguments = arguments,
                  .shortcut = {},
                  .run = std::move(run),
                  .unavailable = unavailable,
                  .checked = std::move(checked),
                  .keywords = "animation movie time"});
  };
  add("step", "Step in time", "Pauses and goes on by so many frames; back for a negative number.", "[FRAMES]",
      [&playback](Arguments arguments) {
        playback.step(arguments.empty() ? 1 : static_cast<int>(number(arguments, "frames")));
      });
  add("seek", "Go to a time", "Pauses at a time, in the unit that the line below the view shows.", "TIME",
      [&playback](Arguments arguments) { playback.scrub(number(arguments, "time")); });
  add("speed", "Speed of time", "How many times faster than usual time runs: 0.5 is half as fast.", "FACTOR",
      [&playback](Arguments arguments) { playback.set_speed(number(arguments, "factor")); });
  add(
      "reverse", "Run time backwards", "Turns the direction in which time runs.", "",
      [&playback](Arguments) { playback.set_reversed(!playback.clock().reversed()); },
      [&playback] { return playback.clock().reversed(); });
  add(
      "loop", "Play again and again", "Whether time begins again at its end, or stops there.", "",
      [&playback](Arguments) {
        const bool loops = playback.clock().at_end() == Clock::AtEnd::loop;
        playback.set_at_end(loops ? Clock::AtEnd::stop : Clock::AtEnd::loop);
      },
      [&playback] { return playback.clock().at_end() == Clock::AtEnd::loop; });
}

}  // namespace isolume::workbench
