#include "app/labs/electrostatics/declared_commands.h"

#include <string>
#include <utility>

#include "app/workbench/declared_commands.h"

namespace isolume::labs::electrostatics {

std::vector<commands::Declaration> declared_commands() {
  const auto coordinate = [](const char* name) {
    return commands::number(name, "Of the place.").unit("angstrom");
  };
  std::vector<commands::Declaration> all{
      {.name = "electrostatics.show",
       .title = "Show surface or potential",
       .help = "Shows the molecular surface in the colours of the potential, isosurfaces of the potential, "
               "or neither.",
       .arguments = {commands::choice("what", "What surfaces are of.", {"surface", "potential", "nothing"})},
       .keywords = "colour isosurface map"},
      {.name = "electrostatics.slice.toggle",
       .title = "Slice",
       .help = "Shows the values on a plane, or hides it.",
       .keywords = "plane section cut"},
      {.name = "electrostatics.field-lines.toggle",
       .title = "Field lines",
       .help = "Shows lines along the electric field, or hides them.",
       .keywords = "electric gradient streamlines"},
      {.name = "electrostatics.field-lines.export",
       .title = "Export field lines",
       .help = "Writes the field lines that are shown with the potential on them.",
       .arguments = {commands::path("path", "The VTK file to write, .vtp.")},
       .keywords = "save streamlines vtp"},
      {.name = "electrostatics.residue",
       .title = "Select residue",
       .help = "Selects a residue by its name; none lets go of what is selected.",
       .arguments = {commands::text("residue", "Its name, as LYS A 12; or none.").repeatable()},
       .keywords = "select highlight amino acid"},
      {.name = "electrostatics.force-field",
       .title = "Force field",
       .help =
           "Gives the structure, and those that are opened after it, the charges and radii of AMBER ff14SB, "
           "CHARMM36 or PARSE.",
       .arguments = {commands::choice("force-field", "Whose.", {"amber", "charmm", "parse"})},
       .keywords = "charges radii AMBER CHARMM PARSE"},
      {.name = "electrostatics.charge-table",
       .title = "Charge table",
       .help =
           "Gives residues of the structure, such as ligands, the charges of a table, which go before the "
           "force field's.",
       .arguments = {commands::path("path",
                                    "A table with the columns residue,atom,charge,radius, or a mol2 file.")},
       .keywords = "ligand mol2 csv charges"},
      {.name = "electrostatics.charge-table.remove",
       .title = "Without charge table",
       .help = "Gives the structure its charges without a table.",
       .keywords = "ligand charges"},
      {.name = "electrostatics.topology",
       .title = "Topology",
       .help = "Gives the atoms of the GRO file the charges of a GROMACS topology.",
       .arguments = {commands::path("path", "The TOP or ITP file.")},
       .keywords = "gromacs top itp charges"},
      {.name = "electrostatics.preparation.export",
       .title = "Export decisions",
       .help = "Writes what was decided when the structure was given its charges.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv preparation hydrogens disulphides histidine"},
      {.name = "electrostatics.patch",
       .title = "Outline patch",
       .help = "Outlines a patch of the surface by its number in the table of patches; 0 for none.",
       .arguments = {commands::integer("number", "The largest has 1.").range(0, 1e6)},
       .keywords = "surface potential highlight"},
      {.name = "electrostatics.patches.export",
       .title = "Export table of patches",
       .help = "Writes the connected parts of the molecular surface where the potential is strong, with the "
               "residues that they are on.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv surface"},
      {.name = "electrostatics.ions.toggle",
       .title = "Counter-ions",
       .help = "Places ions that make up for the molecule's charge where the potential is best for them, or "
               "takes "
               "them away.",
       .keywords = "sodium chloride neutralise place salt"},
      {.name = "electrostatics.ions.export",
       .title = "Export ions",
       .help = "Writes the ions that were placed as PDB, alone or behind the molecule's atoms.",
       .arguments =
           {commands::path("path", "The file to write, .pdb."),
            commands::choice("what", "What is written.", {"ions", "all"}).optional(std::string("ions"))},
       .keywords = "save pdb sodium chloride"},
      {.name = "electrostatics.select",
       .title = "Select atoms",
       .help =
           "Outlines the selected atoms' part of the molecular surface, gives the atoms halos, sets their "
           "residues in bold and tells their charge; none lets go of them.",
       .arguments =
           {commands::text("expression", "Such as chain A and within 5 of hetero; or none.").repeatable()},
       .keywords = "selection choose chain residue within"},
      {.name = "electrostatics.selection",
       .title = "Selected atoms",
       .help = "How many atoms and residues are selected, and their charge.",
       .keywords = "count charge",
       .result = "the selection: selection, atoms, residues, charge in e"},
      {.name = "electrostatics.isolate.toggle",
       .title = "Only what is selected",
       .help = "Shows of atoms and ribbon only what is selected, or all again.",
       .keywords = "hide show selection"},
      {.name = "electrostatics.residues.export",
       .title = "Export table of residues",
       .help = "Writes charge, potential on the surface and energy of each residue.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv values"},
      {.name = "electrostatics.atoms.export",
       .title = "Export table of atoms",
       .help =
           "Writes charge, radius, potential and energy of each atom; of a wavefunction's atoms the charges "
           "by Mulliken, by Löwdin and fitted, and the potential at each nucleus.",
       .arguments = {commands::path("path", "The table to write, .csv.")},
       .keywords = "save csv charges Mulliken Loewdin esp"},
      {.name = "electrostatics.energy",
       .title = "Solvation energy",
       .help =
           "What solvent and ions do to the energy of the charges, by the Poisson-Boltzmann equation that "
           "was solved for the picture, with the difference to twice the spacing as an estimate of its "
           "error.",
       .keywords = "polar solvation free energy kJ/mol",
       .result = "kj_per_mol, error_kj_per_mol (null where twice the spacing would be too coarse), method."},
      {.name = "electrostatics.comparison",
       .title = "Size of the difference",
       .help =
           "How far the map is from the one it is compared with, in all of it and on the molecular surface.",
       .keywords = "error rms compare convergence",
       .result = "unit; map and surface (null where it is not shown): count, rms, mean, largest."},
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
      {.name = "electrostatics.map",
       .title = "Open map beside",
       .help =
           "Opens another program's map of the potential beside the molecule's and shows the difference to "
           "it.",
       .arguments = {commands::path("path", "The map: OpenDX, CCP4 (.ccp4, .mrc, .map), VTI or cube.")},
       .keywords = "compare difference APBS dx ccp4 vti cube"},
      {.name = "electrostatics.trajectory",
       .title = "Open trajectory",
       .help = "Opens a trajectory of the molecule that is open, whose charges move along it.",
       .arguments = {commands::path("path",
                                    "The DCD or XTC file, of the atoms of the open file in its order.")},
       .keywords = "frames dynamics dcd xtc"},
  };
  const std::string frames = "electrostatics.frames";
  all.push_back({.name = frames + ".play",
                 .title = "Play frames",
                 .help = "Plays the models of a file or the frames of a trajectory.",
                 .keywords = "animate movie trajectory models"});
  all.push_back({.name = frames + ".stop",
                 .title = "Stop frames",
                 .help = "Stops playing; Esc does so, too.",
                 .keywords = "pause"});
  for (auto& each : workbench::playback_declarations(frames)) all.push_back(std::move(each));
  return all;
}

}  // namespace isolume::labs::electrostatics
