#include "app/labs/flames/description.h"

#include "app/workbench/commands/declared_commands.h"
#include "core/flames/edit_commands.h"
#include "core/flames/editing.h"
#include "core/flames/flame_file.h"
#include "core/parameters/descriptions_of.h"

namespace isolume::labs::flames {
namespace {

std::vector<commands::Declaration> declared_commands() {
  std::vector<commands::Declaration> all{
      {.name = "flames.play",
       .title = "Play flame",
       .help = "Turn the animated functions, or interpolate to the second flame.",
       .keywords = "animate"},
      {.name = "flames.stop", .title = "Stop flame", .help = "Stop the animation.", .keywords = "pause"}};
  for (const auto& each : isolume::flames::edit_commands()) all.push_back(each.declaration);
  for (auto& each : workbench::playback_declarations("flames")) all.push_back(std::move(each));
  return all;
}

}  // namespace

LabDescription description() {
  return {.name = "flames",
          .title = "Flames",
          .summary = "Fractal flames that you can change, mutate and animate while they are drawn.",
          .commands = declared_commands(),
          .parameters = [] { return parameters::descriptions_of(isolume::flames::editing_schema()); },
          .formats = {isolume::flames::file_formats()},
          .samples = {{"Spheres", "Fractal flame of two functions", "samples/spheres.flame"}}};
}

}  // namespace isolume::labs::flames
