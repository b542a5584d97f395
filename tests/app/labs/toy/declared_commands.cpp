#include "tests/app/labs/toy/declared_commands.h"

#include "app/workbench/commands/declared_commands.h"

namespace isolume::labs::toy {

std::vector<commands::Declaration> declared_commands() {
  const auto coordinate = [](const char* name) {
    return commands::number(name, "Of the place.").unit("mm").range(-10, 10);
  };
  std::vector<commands::Declaration> all{
      {.name = "toy.play",
       .title = "Let the pulses run",
       .help = "Lets time run.",
       .keywords = "animate start"},
      {.name = "toy.stop", .title = "Stop the pulses", .help = "Stops time.", .keywords = "pause"},
      {.name = "toy.probe",
       .title = "Probe value",
       .help = "The field's value at a place.",
       .arguments = {coordinate("x"), coordinate("y"), coordinate("z")},
       .keywords = "number read"},
      {.name = "toy.line",
       .title = "Values along a line",
       .help = "Shows in the Values panel how the field runs between two places.",
       .arguments = {coordinate("x"), coordinate("y"), coordinate("z"), coordinate("to-x"),
                     coordinate("to-y"), coordinate("to-z")},
       .keywords = "profile chart"}};
  for (auto& each : workbench::playback_declarations("toy")) all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::toy
