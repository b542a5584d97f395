#include "app/labs/orbitals/declared_commands.h"

#include <utility>

#include "app/workbench/declared_commands.h"
#include "core/orbitals/parameters.h"

namespace isolume::labs::orbitals {

using commands::choice;
using commands::counted;
using commands::Declaration;
using commands::integer;
using commands::number;
using commands::path;
using commands::text;

namespace {

commands::Argument coordinate(const char* name) {
  return number(name, "Of the place.").unit("angstrom").range(-1e6, 1e6);
}

std::vector<Declaration> of_the_lab() {
  std::vector<std::string> fields;
  for (const auto& each : isolume::orbitals::field_schema().at("field").description.choices)
    fields.push_back(each.key);
  return {
      {.name = "orbitals.select",
       .title = "Select orbital",
       .help = "Shows an orbital by number or by its place at the frontier.",
       .arguments =
           {text("orbital", "A number from 1, homo, lumo, homo-1, lumo+2 ...").shown_as("NUMBER|homo|lumo+N"),
            choice("spin", "Of unrestricted calculations; without it, as before.", {"alpha", "beta"})
                .optional()},
       .keywords = "mo molecular",
       .result = "number, spin."},
      {.name = "orbitals.choose-set",
       .title = "Choose orbital set",
       .help = "Goes to another orbital set of the file.",
       .arguments = {counted("place", "Its place in the file.")}},
      {.name = "orbitals.next", .title = "Next orbital", .help = "One orbital up."},
      {.name = "orbitals.previous", .title = "Previous orbital", .help = "One orbital down."},
      {.name = "orbitals.homo", .title = "Go to the HOMO", .help = "The highest occupied orbital."},
      {.name = "orbitals.lumo", .title = "Go to the LUMO", .help = "The lowest unoccupied orbital."},
      {.name = "orbitals.field.show",
       .title = "Show field",
       .help = "Shows an orbital, a density or a superposition.",
       .arguments = {choice("field", "Which one.", std::move(fields))}},
      {.name = "orbitals.field.choose",
       .title = "Choose field of the file",
       .help = "Shows one of the fields of a cube file.",
       .arguments = {counted("place", "Its place in the file.")}},
      {.name = "orbitals.animation.play",
       .title = "Play superposition",
       .help = "Lets time run in a superposition of orbitals.",
       .keywords = "animate movie time"},
      {.name = "orbitals.animation.stop",
       .title = "Stop the superposition",
       .help = "Stops the animation; Esc does it, too.",
       .keywords = "pause"},
      {.name = "orbitals.animation.record",
       .title = "Record the superposition",
       .help =
           "Writes one turn of the loop as PNG images, frame-0001.png and on, from which other programs make "
           "a film.",
       .arguments = {path("folder", "Where the images go."), integer("frames", "How many.").range(1, 9999),
                     text("size", "Width and height in pixels, 16 to 8192 each.")
                         .optional(std::string("1280x960"))
                         .shown_as("WIDTHxHEIGHT")},
       .keywords = "animate movie film export"},
      {.name = "orbitals.field.probe",
       .title = "Probe value",
       .help = "The field's value at a place. A rest of the pointer on the slice tells it, too.",
       .arguments = {coordinate("x"), coordinate("y"), coordinate("z")},
       .keywords = "number read probe",
       .result = "value (null outside the box), unit."},
      {.name = "orbitals.isovalue.enclose",
       .title = "Enclose fraction of density",
       .help = "Chooses the isovalue that encloses this fraction of the density.",
       .arguments = {number("fraction", "Of the density.").range(0, 1)},
       .keywords = "isovalue threshold contour level"},
      {.name = "orbitals.slice.toggle",
       .title = "Slice plane",
       .help = "Shows or hides the slice plane with its contour lines.",
       .keywords = "cut section"},
      {.name = "orbitals.slice.move",
       .title = "Move slice",
       .help = "Moves the slice plane along its axis.",
       .arguments = {number("fraction", "Of the box.").range(0, 1)}},
      {.name = "orbitals.measure.atoms",
       .title = "Measure atoms",
       .help = "One atom's name, the distance of two, the angle of three, the dihedral of four.",
       .arguments = {counted("atom", "Numbers of one to four atoms.").repeatable()},
       .result = "text, as the status line says it; for two to four atoms value and unit."},
      {.name = "orbitals.measure.clear",
       .title = "Clear measurement",
       .help = "Takes the marks of measured atoms away. Esc in the view does the same."},
      {.name = "orbitals.frame.next", .title = "Next frame", .help = "The next geometry of the file."},
      {.name = "orbitals.frame.previous", .title = "Previous frame", .help = "The geometry before."},
  };
}

}  // namespace

std::vector<Declaration> declared_commands() {
  std::vector<Declaration> all = of_the_lab();
  for (Declaration& each : workbench::playback_declarations("orbitals.animation"))
    all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::orbitals
