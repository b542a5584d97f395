#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isolume::molecules {

enum class ResidueKind { unknown, water, ion, amino_acid, nucleotide, sugar, cap };

/// Information derived from the names of a residue and of its atoms.
struct KnownResidue {
  ResidueKind kind = ResidueKind::unknown;
  /// Name in wwPDB's chemical components; protonation states as in AMBER (HID, ASH, CYM). For unknown ones the name
  /// in the file.
  std::string name = {};
  /// 'N', 'C', '5' or '3' if the name marks a terminus of a chain (NALA, CALA, DA5, DA3); otherwise ' '.
  char end = ' ';
  int element = 0;  ///< of an ion
  int charge = 0;   ///< of an ion, in e
};

/// Recognises names used by wwPDB, AMBER, CHARMM, GROMACS, GLYCAM and others: SOL and TIP3 are water, SOD is sodium,
/// HSD a histidine, ADE a nucleotide of RNA or, without O2', of DNA. Water and ions must also have the right atoms.
KnownResidue known_residue(std::string_view name, std::span<const std::string> atoms);

/// The ion of an element with a charge in e. Without such a name it has that of the element's usual ion, or none.
KnownResidue known_ion(int element, int charge);

/// Whether a residue of that name, whatever its atoms are called, is a monomer of a polymer, water or an ion.
bool is_listed_residue(std::string_view name);

/// Whether it is a name of an amino acid or a nucleotide, whatever its atoms are called.
bool is_monomer_name(std::string_view residue);

/// Whether it is a name of water, whatever its atoms are called.
bool is_water_name(std::string_view residue);

/// The name of an atom in wwPDB's chemical components; unknown names are left unchanged.
std::string usual_atom_name(std::string_view name, const KnownResidue& residue);

/// "H", "1HB", "DD1", "D": hydrogen or deuterium in a residue of H, C, N, O, P, S and Se.
bool is_hydrogen_name(std::string_view name);

/// The element of an atom of a known residue by its name there, whatever columns or alignment indicate. 0 for virtual
/// sites of water models (M, MW, LP1, EPW), -1 if the residue does not determine it.
int element_in(const KnownResidue& residue, std::string_view atom);

/// The element derived from a name alone: "1HB2", "FE", "CL1". Two-letter elements only if the name is not that of an
/// organic atom, or the residue is that ion or has the same name. 0 if the name is not that of an element.
int element_of_name(std::string_view atom, std::string_view residue);

}  // namespace isolume::molecules
