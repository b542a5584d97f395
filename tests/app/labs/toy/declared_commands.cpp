#include "tests/app/labs/toy/declared_commands.h"

#include "app/fields/field_declarations.h"
#include "app/workbench/commands/declared_commands.h"

namespace isolume::labs::toy {

std::vector<commands::Declaration> declared_commands() {
  std::vector<commands::Declaration> all{
      {.name = "toy.play",
       .title = "Let the pulses run",
       .help = "Lets time run.",
       .keywords = "animate start"},
      {.name = "toy.stop", .title = "Stop the pulses", .help = "Stops time.", .keywords = "pause"}};
  for (auto& each : fields::field_declarations("toy", "mm", 10)) all.push_back(std::move(each));
  for (auto& each : workbench::playback_declarations("toy")) all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::toy
