#include "app/labs/electrostatics/description.h"

#include <string>
#include <utility>

#include "app/fields/field_declarations.h"
#include "app/labs/electrostatics/picture/choices.h"
#include "app/labs/electrostatics/picture/map_view.h"
#include "app/labs/electrostatics/picture/patch_choices.h"
#include "app/workbench/commands/declared_commands.h"
#include "core/electrostatics/maps/map_file.h"
#include "core/electrostatics/sums/options.h"
#include "core/molecules/document.h"
#include "core/molecules/formats.h"
#include "core/parameters/descriptions_of.h"
#include "core/structures/charge_readers.h"
#include "core/structures/charged_file.h"
#include "core/structures/structure_choices.h"
#include "core/structures/trajectory.h"

namespace isolume::labs::electrostatics {

namespace {

std::vector<commands::Declaration> declared_commands() {
  std::vector<commands::Declaration> all{
      {.name = "electrostatics.show",
       .title = "Show surface or potential",
       .help = "Shows the molecular surface in the colours of the potential, isosurfaces of the potential, "
               "or neither.",
       .arguments = {commands::choice("what", "What the surface shows.",
                                      {"surface", "potential", "nothing"})},
       .keywords = "colour isosurface map"},
      {.name = "electrostatics.slice.toggle",
       .title = "Slice",
       .help = "Shows or hides the slice through the field.",
       .keywords = "plane section cut"},
      {.name = "electrostatics.field-lines.toggle",
       .title = "Field lines",
       .help = "Shows or hides the lines of the electric field.",
       .keywords = "electric gradient streamlines"},
      {.name = "electrostatics.field-lines.export",
       .title = "Export field lines",
       .help = "Writes the shown field lines with the potential along them.",
       .arguments = {commands::path("path", "The VTK file to write, .vtp.")},
       .keywords = "save streamlines vtp"},
      {.name = "electrostatics.residue",
       .title = "Select residue",
       .help = "Selects a residue by name, chain and number; none clears the selection.",
       .arguments =
           {commands::text("residue", "Residue as name, chain and number: LYS A 12; or none.").repeatable()},
       .keywords = "select highlight amino acid"},
      {.name = "electrostatics.force-field",
       .title = "Choose force field",
       .help = "Assigns charges and radii of AMBER ff14SB, CHARMM36 or PARSE to this structure.",
       .arguments = {commands::choice("force-field", "Force field to use.", {"amber", "charmm", "parse"})},
       .keywords = "charges radii AMBER CHARMM PARSE"},
      {.name = "electrostatics.protonate",
       .title = "Choose protonation state",
       .help =
           "Sets the protonation state of the selected residues: HID, HIE or HIP of histidine, ASP or ASH, "
           "GLU or GLH, LYS or LYN, CYS or CYM of others; automatic follows pH and surroundings.",
       .arguments = {commands::choice(
           "state", "State, as AMBER names it.",
           {"automatic", "HID", "HIE", "HIP", "ASP", "ASH", "GLU", "GLH", "LYS", "LYN", "CYS", "CYM"})},
       .keywords = "histidine proton pKa charge tautomer"},
      {.name = "electrostatics.ligands",
       .title = "Ligand charges...",
       .help = "Assigns charges to residues by name: a net charge in e to equalise, a file, none, or "
               "automatic for the default.",
       .arguments = {commands::text("charges",
                                    "NAME=CHARGE, NAME=FILE, NAME=none or NAME=automatic; if "
                                    "omitted, a dialogue asks for them.")
                         .repeatable()
                         .asked_for()},
       .keywords = "ligand unknown residue charge mol2 CIF component PQR"},
      {.name = "electrostatics.charge-table",
       .title = "Open charge table",
       .help = "Assigns charges from a table to residues such as ligands; they take precedence over the "
               "force field.",
       .arguments = {commands::path("path",
                                    "A table with the columns residue,atom,charge,radius, a mol2 file, or a "
                                    "CIF component with partial charges.")},
       .keywords = "ligand mol2 csv charges"},
      {.name = "electrostatics.charge-table.remove",
       .title = "Remove charge table",
       .help = "Assigns charges again without the table.",
       .keywords = "ligand charges"},
      {.name = "electrostatics.topology",
       .title = "Open topology",
       .help = "Assigns the charges of a GROMACS topology to the atoms of the GRO file.",
       .arguments = {commands::path("path", "The TOP or ITP file.")},
       .keywords = "gromacs top itp charges"},
      {.name = "electrostatics.charges.export",
       .title = "Export atoms with charges",
       .help = "Writes the atoms of the shown frame with their charges and radii: of a structure, the "
               "prepared one with its hydrogens, and the preparation report as remarks.",
       .arguments = {commands::path("path", "The PQR file to write, .pqr.")},
       .keywords = "save pqr prepared structure hydrogens radii"},
      {.name = "electrostatics.preparation.export",
       .title = "Export preparation report",
       .help = "Writes the report of protonation, missing atoms and assigned charges.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv preparation hydrogens disulphides histidine"},
      {.name = "electrostatics.patch",
       .title = "Outline patch",
       .help = "Outlines a surface patch by its number in the table of patches; 0 outlines none.",
       .arguments = {commands::integer("number", "Number of the patch: 1 is the largest, 0 outlines none.")
                         .range(0, 1e6)},
       .keywords = "surface potential highlight"},
      {.name = "electrostatics.patches.export",
       .title = "Export table of patches",
       .help = "Writes the connected surface patches of strong potential and their residues.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv surface"},
      {.name = "electrostatics.ions.toggle",
       .title = "Counter-ions",
       .help = "Places or removes ions that neutralise the molecule where the potential is most favourable.",
       .keywords = "sodium chloride neutralise place salt"},
      {.name = "electrostatics.ions.export",
       .title = "Export ions",
       .help = "Writes the placed ions as PDB, alone or after the molecule's atoms.",
       .arguments = {commands::path("path", "The file to write, .pdb."),
                     commands::choice("what", "The ions alone, or the molecule and the ions.",
                                      {"ions", "all"})
                         .optional(std::string("ions"))},
       .keywords = "save pdb sodium chloride"},
      {.name = "electrostatics.select",
       .title = "Select atoms",
       .help = "Selects atoms by expression and reports their total charge; none clears the selection.",
       .arguments = {commands::text("expression",
                                    "Selection expression, such as chain A and within 5 of hetero; or none.")
                         .repeatable()},
       .keywords = "selection choose chain residue within"},
      {.name = "electrostatics.selection",
       .title = "Selected atoms",
       .help = "Reports how many atoms and residues are selected, and their charge.",
       .keywords = "count charge",
       .result = "the selection: selection, atoms, residues, charge in e"},
      {.name = "electrostatics.measure.atoms",
       .title = "Measure atoms",
       .help = "Names one atom, or measures the distance of two, the angle of three or the dihedral angle of "
               "four.",
       .arguments = {commands::counted("atom", "Numbers of one to four atoms, in the order of the file.")
                         .repeatable()},
       .keywords = "distance angle dihedral torsion ruler",
       .result = "text, as in the status bar; for two to four atoms also value and unit."},
      {.name = "electrostatics.measure.clear",
       .title = "Clear measurement",
       .help = "Removes the marks of measured atoms (Esc in the view)."},
      {.name = "electrostatics.selection.zoom",
       .title = "Zoom to selection",
       .help = "Moves the camera so that the selected atoms fill the view.",
       .keywords = "camera focus centre fit"},
      {.name = "electrostatics.colours",
       .title = "Choose colours of the potential",
       .help = "Colours negative and positive values red and blue, or vermilion and blue, which people with "
               "colour blindness can tell apart.",
       .arguments = {commands::choice("preset", "Colours to use.",
                                      {"red-white-blue", "vermilion-white-blue"})},
       .keywords = "preset red blue PyMOL colour map"},
      {.name = "electrostatics.isolate.toggle",
       .title = "Isolate selection",
       .help = "Hides everything except the selection, or shows everything again.",
       .keywords = "hide show selection"},
      {.name = "electrostatics.residues.export",
       .title = "Export table of residues",
       .help = "Writes charge, surface potential and interaction energy of each residue.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv values"},
      {.name = "electrostatics.atoms.export",
       .title = "Export table of atoms",
       .help = "Writes charge, radius, potential and energy of each atom; for wavefunctions, Mulliken, "
               "Löwdin and fitted charges and the potential at each nucleus.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv charges Mulliken Loewdin esp"},
      {.name = "electrostatics.energy",
       .title = "Solvation energy",
       .help = "Reports the polar solvation energy by the Poisson-Boltzmann equation, and estimates its "
               "error from twice the spacing.",
       .keywords = "polar solvation free energy kJ/mol",
       .result = "kj_per_mol, error_kj_per_mol (null where twice the spacing would be too coarse), method."},
      {.name = "electrostatics.comparison",
       .title = "Compare maps: statistics",
       .help = "Reports the difference to the reference map, on the whole grid and on the molecular surface.",
       .keywords = "error rms compare convergence",
       .result = "unit; map and surface (null where it is not shown): count, rms, mean, largest."},
      {.name = "electrostatics.map",
       .title = "Compare with map",
       .help = "Opens another program's potential map and shows the difference to it.",
       .arguments = {commands::path("path", "The map: OpenDX, CCP4 (.ccp4, .mrc, .map), VTI or cube.")},
       .keywords = "compare difference APBS dx ccp4 vti cube"},
      {.name = "electrostatics.trajectory",
       .title = "Open trajectory",
       .help = "Opens a trajectory of the open molecule and shows the potential of its frames.",
       .arguments = {commands::path("path",
                                    "DCD or XTC file with the atoms of the open file in the same order.")},
       .keywords = "frames dynamics dcd xtc"},
  };
  for (auto& each : fields::field_declarations("electrostatics", "angstrom")) all.push_back(std::move(each));
  const std::string frames = "electrostatics.frames";
  all.push_back({.name = frames + ".play",
                 .title = "Play frames",
                 .help = "Plays the models of a file or the frames of a trajectory.",
                 .keywords = "animate movie trajectory models"});
  all.push_back({.name = frames + ".stop",
                 .title = "Stop frames",
                 .help = "Stops playing (Esc).",
                 .keywords = "pause"});
  for (auto& each : workbench::playback_declarations(frames, "frame")) all.push_back(std::move(each));
  return all;
}

}  // namespace

LabDescription description() {
  return {.name = "electrostatics",
          .title = "Electrostatics",
          .summary = "Potentials of molecules in water and salt, on their surfaces and in space.",
          .commands = declared_commands(),
          .parameters =
              [] {
                return parameters::descriptions_of(
                    wavefunction_schema(), frame_schema(), structures::structure_schema(),
                    isolume::electrostatics::potential_schema(), map_view_schema(), pick_schema(),
                    patch_schema(), map_grid_schema(), other_map_schema());
              },
          .formats = {structures::charge_formats(), molecules::wavefunction_formats(),
                      structures::trajectory_formats(), isolume::electrostatics::map_formats()},
          .samples = {{"Fasciculin", "Toxin of 61 residues, charge +4 e", "samples/fasciculin.pqr.gz"},
                      {"LDL receptor module", "PDB entry 1AJJ: 37 residues, a calcium ion",
                       "samples/1ajj.pdb.gz"}},
          .opens =
              [](const std::filesystem::path& path) {
                // Of all that can hold orbitals; other fields and geometries of such names are another lab's.
                if (molecules::wavefunction_formats().match(path)) return molecules::may_hold_orbitals(path);
                if (structures::trajectory_formats().match(path) ||
                    isolume::electrostatics::map_formats().match(path))
                  return true;
                // An XYZ file without charges is another lab's.
                return structures::charge_formats().match(path) &&
                       (structures::charge_format_of(path) != structures::ChargeFormat::xyz ||
                        structures::xyz_has_charges(path));
              }};
}

}  // namespace isolume::labs::electrostatics
