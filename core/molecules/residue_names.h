#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isolume::molecules {

enum class ResidueKind { unknown, water, ion, amino_acid, nucleotide, sugar, cap };

/// What the names of a residue and of its atoms say.
struct KnownResidue {
  ResidueKind kind = ResidueKind::unknown;
  /// As wwPDB's chemical components call it; protonation states as AMBER does (HID, ASH, CYM). Of unknown ones the name in
  /// the file.
  std::string name = {};
  /// 'N', 'C', '5' or '3' where the name says that a chain begins or ends with it (NALA, CALA, DA5, DA3); otherwise ' '.
  char end = ' ';
  int element = 0;  ///< of an ion
  int charge = 0;   ///< of an ion, in e
};

/// By the names that wwPDB, AMBER, CHARMM, GROMACS, GLYCAM and others give: SOL and TIP3 are water, SOD is sodium, HSD a
/// histidine, ADE a nucleotide of RNA or, without O2', of DNA. Water and ions must also have the atoms of such.
KnownResidue known_residue(std::string_view name, std::span<const std::string> atoms);

/// Whether a residue of that name, whatever its atoms are called, is a monomer of a polymer, water or an ion.
bool is_listed_residue(std::string_view name);

/// Whether programs call an amino acid or a nucleotide so, whatever its atoms are called.
bool is_monomer_name(std::string_view residue);

/// Whether programs call water so, whatever its atoms are called.
bool is_water_name(std::string_view residue);

/// The name of an atom as wwPDB's chemical components have it; names that are not known stay as they are.
std::string usual_atom_name(std::string_view name, const KnownResidue& residue);

/// "H", "1HB", "DD1", "D": hydrogen or deuterium in a residue of H, C, N, O, P, S and Se.
bool is_hydrogen_name(std::string_view name);

/// The element of an atom of a known residue by its name there, whatever columns or alignment say. 0 for virtual sites of
/// water models (M, MW, LP1, EPW), -1 where the residue says nothing.
int element_in(const KnownResidue& residue, std::string_view atom);

/// The element that a name says where nothing else does: "1HB2", "FE", "CL1". Two letters only where no organic atom is called
/// so, or the residue is called alike, as ions are. 0 where the name says none.
int element_of_name(std::string_view atom, std::string_view residue);

}  // namespace isolume::molecules
