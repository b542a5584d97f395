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
  std::string name;       ///< as in wwPDB's chemical components
  int atomic_number = 0;  ///< 0 if the file does not state it
  Eigen::Vector3d place;  ///< in angstrom
  int formal_charge = 0;  ///< in e, as stated in the file; 0 if it states none
};

struct Residue {
  std::string name, chain;
  int number = 0;
  char insertion = ' ';
  bool is_hetero = false;
  int part = 0;  ///< common to residues of a chain that were written as one molecule
  std::vector<StructureAtom> atoms;
  int alternatives = 0;  ///< atoms in alternate locations that were left out in favour of others
  bool equally_occupied =
      false;  ///< whether one of these has the same occupancy as the location that was chosen

  const StructureAtom* find(std::string_view atom) const;
};

/// One model of a structure, in the order of the file.
struct Structure {
  std::vector<Residue> residues;
  int model = 0;                             ///< model number in the file
  int models = 0;                            ///< number of models in the file
  int alternatives = 0;                      ///< total of all residues
  std::optional<Eigen::Matrix3d> cell = {};  ///< edges as columns, in angstrom
  /// As stated in the file; none if one of them cannot be read.
  std::vector<SecondaryRange> secondary = {};
  std::string title = {};
  std::vector<std::string> assemblies = {};  ///< names of the biological assemblies that the file defines
  /// What was left out, assumed or corrected.
  Remarks remarks = {};
};

/// "CA A 501", "GLY B 52A".
std::string name_of(const Residue& residue);

KnownResidue known_residue(const Residue& residue);

/// Reads a structure in PDB format or mmCIF, plain or gzipped: the model with that number, or by default the first.
/// Of alternate locations in a residue those with the highest occupancy are used, the first of equal ones; a repeated
/// name without an alternate location is another atom or begins another residue. Chains, numbers and names are those
/// assigned by the authors. Serial numbers of atoms are ignored; residue numbers may be hexadecimal (VMD) or
/// hybrid-36. Models are MODEL records, or frames of the same atoms between END records; if no number is given, those
/// in a file of a biological assembly (.pdb1) are one structure. `assembly`: the number of a biological assembly
/// defined in the file, to be built from copies of chains; 0 for the atoms of the file.
///
/// Throws InputError with the line number, ResourceError, Cancelled.
Structure read_structure(const std::filesystem::path& path, std::optional<int> model = {},
                         const jobs::Progress& progress = {}, int assembly = 0);

/// All models of it, in the order of the file.
std::vector<Structure> read_models(const std::filesystem::path& path, const jobs::Progress& progress = {},
                                   int assembly = 0);

}  // namespace isolume::molecules
