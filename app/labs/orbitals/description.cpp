#include "app/labs/orbitals/description.h"

#include <utility>

#include "app/fields/field_declarations.h"
#include "app/labs/orbitals/view_parameters.h"
#include "app/workbench/commands/declared_commands.h"
#include "core/molecules/biopolymer.h"
#include "core/molecules/formats.h"
#include "core/orbitals/parameters.h"
#include "core/parameters/descriptions_of.h"

namespace isolume::labs::orbitals {

using commands::choice;
using commands::counted;
using commands::Declaration;
using commands::integer;
using commands::number;
using commands::path;
using commands::text;

namespace {

std::vector<Declaration> of_the_lab() {
  std::vector<std::string> fields;
  for (const auto& each : isolume::orbitals::field_schema().at("field").description.choices)
    fields.push_back(each.key);
  return {
      {.name = "orbitals.select",
       .title = "Select orbital",
       .help = "Shows an orbital, by number or relative to the HOMO or LUMO.",
       .arguments = {text("orbital", "Orbital: a number from 1, homo, lumo, homo-1, lumo+2 ...")
                         .shown_as("NUMBER|homo|lumo+N"),
                     choice("spin", "For unrestricted calculations; if omitted, the current spin.",
                            {"alpha", "beta"})
                         .optional()},
       .keywords = "mo molecular",
       .result = "number, spin."},
      {.name = "orbitals.choose-set",
       .title = "Choose orbital set",
       .help = "Switches to another set of orbitals in the file.",
       .arguments = {counted("place", "Position in the file.")}},
      {.name = "orbitals.next", .title = "Next orbital", .help = "Selects the next orbital."},
      {.name = "orbitals.previous", .title = "Previous orbital", .help = "Selects the previous orbital."},
      {.name = "orbitals.homo", .title = "Go to the HOMO", .help = "Selects the highest occupied orbital."},
      {.name = "orbitals.lumo", .title = "Go to the LUMO", .help = "Selects the lowest unoccupied orbital."},
      {.name = "orbitals.field.show",
       .title = "Show field",
       .help = "Shows an orbital, a density or a superposition.",
       .arguments = {choice("field", "Which field.", std::move(fields))}},
      {.name = "orbitals.field.choose",
       .title = "Choose field in file",
       .help = "Shows one of the fields in a cube file.",
       .arguments = {counted("place", "Position in the file.")}},
      {.name = "orbitals.animation.play",
       .title = "Play superposition",
       .help = "Animates a superposition of orbitals in time.",
       .keywords = "animate movie time"},
      {.name = "orbitals.animation.stop",
       .title = "Stop superposition",
       .help = "Stops the animation (Esc).",
       .keywords = "pause"},
      {.name = "orbitals.animation.record",
       .title = "Record superposition",
       .help = "Saves one loop as PNG images, frame-0001.png and so on, for other programs to make a video.",
       .arguments = {path("folder", "Folder for the images."),
                     integer("frames", "Number of frames.").range(1, 9999),
                     text("size", "Width and height in pixels, 16 to 8192 each.")
                         .optional(std::string("1280x960"))
                         .shown_as("WIDTHxHEIGHT")},
       .keywords = "animate movie film export"},
      {.name = "orbitals.isovalue.enclose",
       .title = "Enclose fraction of density",
       .help = "Sets the isovalue whose surface encloses this fraction of the density.",
       .arguments = {number("fraction", "Fraction of the density.").range(0, 1)},
       .keywords = "isovalue threshold contour level"},
      {.name = "orbitals.surface.colour-by",
       .title = "Colour surface by",
       .help =
           "Colours the surface by the values of another field, by the electrostatic potential, or by the "
           "sign of its own field.",
       .arguments = {choice("field", "Quantity that colours the surface.",
                            {"sign", "orbital", "density", "spin-density", "potential"}),
                     text("orbital", "Orbital, as for orbitals.select; if omitted, the one chosen before.")
                         .optional()
                         .shown_as("NUMBER|homo|lumo+N")},
       .keywords = "map paint second field electrostatic potential ESP MEP"},
      {.name = "orbitals.volume.toggle",
       .title = "Volume",
       .help = "Shows or hides a volume rendering of the field.",
       .keywords = "volume rendering cloud fog ray"},
      {.name = "orbitals.slice.toggle",
       .title = "Slice plane",
       .help = "Shows or hides the slice plane with its contour lines.",
       .keywords = "cut section"},
      {.name = "orbitals.slice.move",
       .title = "Move slice",
       .help = "Moves the slice plane along its axis.",
       .arguments = {number("fraction", "Position within the box.").range(0, 1)}},
      {.name = "orbitals.measure.atoms",
       .title = "Measure atoms",
       .help = "Names one atom, or measures the distance of two, the angle of three or the dihedral angle of "
               "four.",
       .arguments = {counted("atom", "Numbers of one to four atoms.").repeatable()},
       .result = "text, as in the status bar; for two to four atoms also value and unit."},
      {.name = "orbitals.measure.clear",
       .title = "Clear measurement",
       .help = "Removes the marks of measured atoms (Esc in the view)."},
      {.name = "orbitals.frame.next", .title = "Next frame", .help = "Shows the next geometry in the file."},
      {.name = "orbitals.frame.previous",
       .title = "Previous frame",
       .help = "Shows the previous geometry in the file."},
  };
}

std::vector<Declaration> declared_commands() {
  std::vector<Declaration> all = of_the_lab();
  for (Declaration& each : fields::field_declarations("orbitals.field", "angstrom"))
    all.push_back(std::move(each));
  for (Declaration& each : workbench::playback_declarations("orbitals.animation"))
    all.push_back(std::move(each));
  return all;
}

}  // namespace

LabDescription description() {
  FileFormats formats{.title = "Wavefunctions, fields and molecules", .formats = {}};
  for (const FileFormats& some : {molecules::wavefunction_formats(), molecules::molecule_formats()})
    formats.formats.insert(formats.formats.end(), some.formats.begin(), some.formats.end());
  return {.name = "orbitals",
          .title = "Orbitals",
          .summary = "Molecular orbitals, densities and their differences as live surfaces.",
          .commands = declared_commands(),
          .parameters =
              [] { return parameters::descriptions_of(isolume::orbitals::field_schema(), view_schema()); },
          .formats = {formats},
          .samples = {{"Benzene", "RHF/6-31G*: the degenerate π orbitals", "samples/benzene.fchk.gz"},
                      {"Caffeine", "B3LYP/6-31G*, 24 atoms", "samples/caffeine.fchk.gz"},
                      {"C₆₀", "RHF/6-31G*: 900 basis functions", "samples/c60.molden.gz"},
                      {"Triplet O₂", "UHF/6-311G*: α, β and spin density", "samples/oxygen-triplet.fchk.gz"},
                      {"Water, small basis", "RHF/6-31G*, Cartesian d", "samples/water-631gs.fchk.gz"},
                      {"Water, medium basis", "RHF/def2-TZVP, up to f", "samples/water-def2tzvp.fchk.gz"},
                      {"Water, large basis", "RHF/cc-pVQZ, up to g", "samples/water-ccpvqz.fchk.gz"}},
          // Proteins and nucleic acids are another lab's, unless people ask for this one.
          .opens =
              [formats](const std::filesystem::path& path) {
                return formats.match(path) && !molecules::is_biopolymer_file(path);
              }};
}

}  // namespace isolume::labs::orbitals
