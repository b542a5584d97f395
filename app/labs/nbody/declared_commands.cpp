#include "app/labs/nbody/declared_commands.h"

#include "app/workbench/declared_commands.h"
#include "core/nbody/scenes.h"

namespace isolume::labs::nbody {
namespace {

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& choice : isolume::nbody::scene_schema().at("scene").description.choices)
    names.push_back(choice.key);
  return names;
}

}  // namespace

std::vector<commands::Declaration> declared_commands() {
  std::vector<commands::Declaration> all{
      {.name = "nbody.play",
       .title = "Let the bodies move",
       .help = "Lets time run; steps that have not been computed yet are computed.",
       .keywords = "animate start run simulate"},
      {.name = "nbody.stop", .title = "Stop the bodies", .help = "Stops time.", .keywords = "pause halt"},
      {.name = "nbody.scene",
       .title = "Choose scene...",
       .help = "Starts anew from bodies that are made up.",
       .arguments =
           {commands::choice("scene", "What they form.", scene_names()),
            commands::integer("bodies", "How many of them, where the scene leaves it open.")
                .range(1, 1e8)
                .optional(),
            commands::integer("seed", "Another number gives other bodies of the same kind.").optional()},
       .keywords = "initial conditions galaxy plummer collision"},
      {.name = "nbody.restart",
       .title = "Start anew",
       .help = "Forgets what was computed, and starts from the same bodies with the present parameters.",
       .keywords = "reset begin"},
      {.name = "nbody.rewind",
       .title = "Go on from here",
       .help = "Forgets what was computed after the moment that is shown, so that it goes on from there with "
               "other "
               "parameters.",
       .keywords = "branch back truncate"}};
  for (auto& each : workbench::playback_declarations("nbody")) all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::nbody
