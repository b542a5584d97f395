#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/parameters/schema.h"
#include "core/structures/charged_file.h"

namespace isolume::structures {

enum class UnknownResidues { uncharged, equalise };

/// User options of the preparation of a structure, except for files (a table of charges, a topology).
struct StructureChoices {
  ForceField force_field = ForceField::amber;
  UnknownResidues unknown = UnknownResidues::uncharged;
  std::string unknown_charges;  ///< "NAP=-4 TES=0", parsed by charges_by_residue
  std::string ligands;          ///< "NAP=-4; LIG=lig.mol2; GOL=none", parsed by ligands_of
  bool keep_water = false;
  double ph = 7;
  PkaSource pka = PkaSource::standard;
  std::string states;  ///< "HIS A 57=HIP, ASP A 102=ASH", parsed by states_by_residue
  int assembly = 0;    ///< the number of a biological assembly; 0: the atoms of the file
  int model = 0;       ///< model number in the file; 0: the first, or all where frames are shown

  bool operator==(const StructureChoices&) const = default;
};
/// force-field, ph, pka, states, unknown, unknown-charge, ligands, keep-water, assembly, model.
const parameters::Schema<StructureChoices>& structure_schema();

/// Parses total charges in e by residue name: "NAP=-4 TES=0", or separated by commas. Throws Error for invalid text.
std::map<std::string, double> charges_by_residue(std::string_view text);

/// Parses protonation states by residue: "HIS A 57=HIP, ASP A 102=ASH". Throws Error for invalid text.
std::map<std::string, std::string> states_by_residue(std::string_view text);
/// The inverse.
std::string text_of_states(const std::map<std::string, std::string>& states);

/// Options for reading a file. Throws Error where the total charges are invalid.
ChargedFileOptions charged_file_options(const StructureChoices& choices);

}  // namespace isolume::structures
