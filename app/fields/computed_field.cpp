#include "app/fields/computed_field.h"

#include "app/fields/field_declarations.h"
#include "app/workbench/commands/declared_commands.h"

namespace isolume::fields {

LabDescription describe(const ComputedField& field) {
  LabDescription lab{.name = field.name,
                     .title = field.title,
                     .summary = field.summary,
                     .commands = field_declarations(field.name, field.length_unit, field.reach),
                     .parameters = [make = field.make] { return make()->parameters().descriptions(); }};
  if (field.time.empty()) return lab;
  lab.commands.push_back({.name = field.name + ".play",
                          .title = "Play time",
                          .help = "Lets time run.",
                          .keywords = "animate start"});
  lab.commands.push_back(
      {.name = field.name + ".stop", .title = "Stop time", .help = "Stops time.", .keywords = "pause"});
  for (auto& each : workbench::playback_declarations(field.name)) lab.commands.push_back(std::move(each));
  return lab;
}

}  // namespace isolume::fields
