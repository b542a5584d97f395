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
       .keywords = "branch back truncate"},
      {.name = "nbody.pick",
       .title = "Choose body...",
       .help =
           "Chooses a body by its number; the Body panel shows its values. A click on a body does the same.",
       .arguments = {commands::integer("number", "The body's number; 0 chooses none.").range(0, 9e15)},
       .keywords = "select particle star id"},
      {.name = "nbody.body",
       .title = "Read the chosen body",
       .help = "Gives the position, velocity and energy of the chosen body.",
       .recorded = false,
       .result = "id, origin, mass, position, velocity, speed, potential, kinetic_energy, potential_energy, "
                 "energy, step, time; in units that make G = 1."},
      {.name = "nbody.follow",
       .title = "Follow",
       .help = "What the camera moves with.",
       .arguments = {commands::choice("what", "What stays in its place.",
                                      {"nothing", "body", "centre-of-mass"})},
       .keywords = "camera track centre"},
      {.name = "nbody.trails",
       .title = "Trails",
       .help = "Shows the paths of the chosen body or of all through the steps that have been computed.",
       .arguments = {commands::choice("of", "Which bodies leave trails.", {"none", "body", "all"}),
                     commands::integer("steps", "How far back they reach.").range(1, 500).optional()},
       .keywords = "path orbit trace history"},
      {.name = "nbody.octree",
       .title = "Boxes of the octree...",
       .help = "Shows the cells of the bodies' octree down to a level; 0 shows none.",
       .arguments = {commands::integer("levels", "How many levels.").range(0, 12)},
       .keywords = "tree cells barnes hut"},
      {.name = "nbody.surface-density",
       .title = "Surface density",
       .help = "Shows the mass on each square of the picture instead of light.",
       .keywords = "projected column map"}};
  for (auto& each : workbench::playback_declarations("nbody")) all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::nbody
