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

/// Where the charges of a ligand come from: a net charge in e that equalisation shares out among its atoms, or a file
/// with a charge for each atom; neither: it has none, and that is known.
struct LigandCharges {
  std::optional<double> net = {};
  std::filesystem::path file = {};

  bool operator==(const LigandCharges&) const = default;
};
/// By the names of residues.
using Ligands = std::map<std::string, LigandCharges>;

/// "NAP=-4; LIG=lig.mol2; GOL=none". Throws Error for what is none.
Ligands ligands_of(std::string_view text);
/// The reverse.
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

/// Reads a mol2 file, a chemical component (CIF) with partial charges, or a PQR file; of several residues the one of
/// this name. Bonds are those of a component, else atoms nearer than 1.2 times the sum of their covalent radii. Throws InputError,
/// Cancelled.
LigandFile read_ligand(const std::filesystem::path& path, std::string_view residue,
                       const jobs::Progress& progress = {});

struct MatchedCharges {
  ResidueParameters parameters;  ///< of the residue's atoms, by their names
  bool by_names = false;         ///< else by elements and bonds
  /// Hydrogens of the file that the residue lacks: their charges are with the atoms that carry them.
  std::size_t hydrogens_joined = 0;
  std::vector<std::string> not_in_file;     ///< hydrogens: without charge
  std::vector<std::string> not_in_residue;  ///< other atoms of the file: their charges are lost
};

/// Finds the file's atom of each atom of a residue: by names where the file has all names of its heavy atoms; else by
/// elements and bonds, atoms that these do not tell apart getting the mean of their charges. Throws InputError where that cannot
/// be.
MatchedCharges match_ligand(std::span<const StructureAtom> residue, const LigandFile& file);

}  // namespace isolume::structures
