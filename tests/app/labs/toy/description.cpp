#include "tests/app/labs/toy/description.h"

#include "app/fields/field_declarations.h"
#include "app/workbench/commands/declared_commands.h"
#include "core/parameters/descriptions_of.h"
#include "tests/app/labs/toy/toy_field.h"

namespace isolume::labs::toy {

LabDescription description() {
  std::vector<commands::Declaration> all{
      {.name = "toy.play",
       .title = "Let the pulses run",
       .help = "Lets time run.",
       .keywords = "animate start"},
      {.name = "toy.stop", .title = "Stop the pulses", .help = "Stops time.", .keywords = "pause"}};
  for (auto& each : fields::field_declarations("toy", "mm", 10)) all.push_back(std::move(each));
  for (auto& each : workbench::playback_declarations("toy")) all.push_back(std::move(each));
  return {.name = "toy",
          .title = "Toy",
          .summary = "Two pulses of opposite sign that circle each other.",
          .commands = std::move(all),
          .parameters = [] { return parameters::descriptions_of(toy_schema()); }};
}

}  // namespace isolume::labs::toy
