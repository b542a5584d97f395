#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/residue_tables.h"
#include "core/structures/structure.h"

namespace isolume::structures {

/// Source of a ligand's charges: a net charge in e to be equalised over its atoms, or a file with a charge for each
/// atom; neither: the ligand is declared uncharged.
struct LigandCharges {
  std::optional<double> net = {};
  std::filesystem::path file = {};

  bool operator==(const LigandCharges&) const = default;
};
/// Keyed by residue name.
using Ligands = std::map<std::string, LigandCharges>;

/// Parses "NAP=-4; LIG=lig.mol2; GOL=none". Throws Error for invalid text.
Ligands ligands_of(std::string_view text);
/// The inverse.
std::string text_of_ligands(const Ligands& ligands);

/// A molecule whose atoms have charges.
struct LigandFile {
  struct Atom {
    std::string name;
    int atomic_number = 0;
    double charge = 0;   ///< e
    double radius = -1;  ///< angstrom; below 0: that of the element
  };
  std::filesystem::path path;
  std::vector<Atom> atoms;
  std::vector<std::pair<std::size_t, std::size_t>> bonds;
};

/// Reads a mol2 file, a chemical component (CIF) with partial charges, or a PQR file; of several residues the one
/// with this name. Bonds are those of a component, otherwise between atoms closer than 1.2 times the sum of their
/// covalent radii. Throws InputError, Cancelled.
LigandFile read_ligand(const std::filesystem::path& path, std::string_view residue,
                       const jobs::Progress& progress = {});

struct MatchedCharges {
  ResidueParameters parameters;  ///< of the residue's atoms, by name
  bool by_names = false;         ///< otherwise by elements and bonds
  /// Hydrogens of the file that the residue lacks: their charges are added to the atoms that carry them.
  std::size_t hydrogens_joined = 0;
  std::vector<std::string> not_in_file;     ///< hydrogens, which get no charge
  std::vector<std::string> not_in_residue;  ///< other atoms of the file, whose charges are lost
};

/// Matches each atom of a residue to one of the file: by names if the file has the names of all its heavy atoms;
/// otherwise by elements and bonds, where equivalent atoms get their mean charge. Throws InputError if neither is
/// possible.
MatchedCharges match_ligand(std::span<const StructureAtom> residue, const LigandFile& file);

}  // namespace isolume::structures
