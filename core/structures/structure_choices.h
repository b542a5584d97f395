#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/parameters/schema.h"
#include "core/structures/charged_file.h"

namespace isolume::structures {

enum class UnknownResidues { uncharged, equalise };

/// How a structure is given its charges, as people choose it; but for files (a table of charges, a topology).
struct StructureChoices {
  ForceField force_field = ForceField::amber;
  UnknownResidues unknown = UnknownResidues::uncharged;
  std::string unknown_charges;  ///< "NAP=-4 TES=0", as charges_by_residue takes it
  std::string ligands;          ///< "NAP=-4; LIG=lig.mol2; GOL=none", as ligands_of takes it
  bool keep_water = false;
  double ph = 7;
  std::string states;  ///< "HIS A 57=HIP, ASP A 102=ASH", as states_by_residue takes it
  int assembly = 0;    ///< the number of a biological assembly; 0: the atoms of the file
  int model = 0;       ///< its number in the file; 0: the first, and where frames are shown all

  bool operator==(const StructureChoices&) const = default;
};
/// force-field, ph, states, unknown, unknown-charge, ligands, keep-water, assembly, model.
const parameters::Schema<StructureChoices>& structure_schema();

/// Totals in e by the names of residues: "NAP=-4 TES=0", or with commas between. Throws Error for what is none.
std::map<std::string, double> charges_by_residue(std::string_view text);

/// Protonation states by residue: "HIS A 57=HIP, ASP A 102=ASH". Throws Error for what is none.
std::map<std::string, std::string> states_by_residue(std::string_view text);
/// The reverse.
std::string text_of_states(const std::map<std::string, std::string>& states);

/// For reading a file. Throws Error where the totals of charges make no sense.
ChargedFileOptions charged_file_options(const StructureChoices& choices);

}  // namespace isolume::structures
