#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/molecules/residue_names.h"
#include "core/molecules/secondary_range.h"

namespace isolume::molecules {

struct StructureAtom {
  std::string name;       ///< as wwPDB's chemical components have it
  int atomic_number = 0;  ///< 0 where the file does not say
  Eigen::Vector3d place;  ///< in angstrom
};

struct Residue {
  std::string name, chain;
  int number = 0;
  char insertion = ' ';
  bool is_hetero = false;
  int part = 0;  ///< residues of a chain that were written as one molecule share it
  std::vector<StructureAtom> atoms;
  int alternatives = 0;  ///< atoms in alternate locations that were left out for others of more occupancy

  const StructureAtom* find(std::string_view atom) const;
};

/// One model of a structure, in the order of the file.
struct Structure {
  std::vector<Residue> residues;
  int model = 0;                             ///< its number in the file
  int models = 0;                            ///< how many there are
  int alternatives = 0;                      ///< of all residues
  std::optional<Eigen::Matrix3d> cell = {};  ///< edges as columns, in angstrom
  /// As the file states them; none where one of them cannot be read.
  std::vector<SecondaryRange> secondary = {};
  std::string title = {};
  std::vector<std::string> assemblies = {};  ///< names of the biological assemblies that the file defines
  /// What was left out, assumed or corrected.
  Remarks remarks = {};
};

/// "CA A 501", "GLY B 52A".
std::string name_of(const Residue& residue);

KnownResidue known_residue(const Residue& residue);

/// Reads a structure in PDB format or mmCIF, whichever it is, plain or gzipped: the model of that number, without one the
/// first. Of alternate locations in a residue those of the highest occupancy are taken, of equal ones the first; where a
/// name is repeated without an alternate location, it is another atom or begins another residue. Chains, numbers and names are
/// those that authors gave. Serial numbers of atoms are not looked at; numbers of residues may be hexadecimal (VMD) or
/// hybrid-36. Models are MODEL records, or frames of the same atoms between END records; without a number of one, those of a
/// file of a biological assembly (.pdb1) are one structure. `assembly`: the number of a biological assembly that the file
/// defines, and whose copies of chains are made; 0 for the atoms of the file.
///
/// Throws InputError with the line's number, ResourceError, Cancelled.
Structure read_structure(const std::filesystem::path& path, std::optional<int> model = {},
                         const jobs::Progress& progress = {}, int assembly = 0);

/// All models of it, in the order of the file.
std::vector<Structure> read_models(const std::filesystem::path& path, const jobs::Progress& progress = {},
                                   int assembly = 0);

}  // namespace isolume::molecules
