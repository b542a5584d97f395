#include "app/labs/electrostatics/declared_commands.h"

namespace isolume::labs::electrostatics {

std::vector<commands::Declaration> declared_commands() {
  const auto coordinate = [](const char* name) {
    return commands::number(name, "Of the place.").unit("angstrom");
  };
  return {
      {.name = "electrostatics.show",
       .title = "Show surface or potential",
       .help =
           "Shows the molecular surface in the colours of the potential, or isosurfaces of the potential.",
       .arguments = {commands::choice("what", "What surfaces are of.", {"surface", "potential"})},
       .keywords = "colour isosurface map"},
      {.name = "electrostatics.slice.toggle",
       .title = "Slice",
       .help = "Shows the values on a plane, or hides it.",
       .keywords = "plane section cut"},
      {.name = "electrostatics.probe",
       .title = "Probe value",
       .help = "The field's value at a place.",
       .arguments = {coordinate("x"), coordinate("y"), coordinate("z")},
       .keywords = "number read"},
      {.name = "electrostatics.line",
       .title = "Values along a line",
       .help = "Shows in the Values panel how the field runs between two places.",
       .arguments = {coordinate("x"), coordinate("y"), coordinate("z"), coordinate("to-x"),
                     coordinate("to-y"), coordinate("to-z")},
       .keywords = "profile chart"},
  };
}

}  // namespace isolume::labs::electrostatics
