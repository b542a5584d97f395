#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// What the orthonormality check C^T S C = 1 said about a wavefunction file.
struct OrthonormalityCheck {
  /// "as written", or of what the file has otherwise and was corrected: "primitive-norms", "primitive-norms-and-signs",
  /// "cartesian-shell-norms", "cartesian-xx-norms", "cartesian-xy-norms", "opposite-signs", "swapped-10f-15g",
  /// "unnormalised-contractions", "unnormalised-functions", "wrong-length-unit"; "unproven" when nothing restores
  /// orthonormality.
  std::string name = "unproven";
  /// max |C^T S C - 1| over all orbital sets after the correction named above; without one, as written.
  double worst_deviation = 0;
  /// The same for the first set, before any correction.
  double deviation_as_written = 0;
  /// The deviation above is more than 1e-4, which printed digits or inexact virtual orbitals excuse.
  bool limited = false;
  /// For the user: what was found, what was done. One or two sentences.
  std::string explanation;

  /// Positions in the first set of orbitals that are not orthonormal to the others, although the name above
  /// explains those: damaged, or cut off by the end of the file. `worst_deviation` counts them too.
  std::vector<int> spoilt_orbitals;

  bool proven() const { return name != "unproven" && spoilt_orbitals.empty(); }
};

inline constexpr double debye_per_e_bohr = 2.541746473;  ///< CODATA 2018

struct Energy {
  double hartree = 0;
  std::string kind;  ///< "total", or "SCF" where a correlated method may have followed
};

/// What one file holds. At least a molecule; perhaps a wavefunction, fields on a lattice, several geometries.
struct Document {
  std::filesystem::path path;
  std::string format;   ///< the name of the reader: "molden", "wfx", "cube" ...
  std::string program;  ///< that wrote it, if the file says so
  Molecule molecule;
  std::optional<Energy> energy;                 ///< the last one, if the file gives it
  std::optional<Eigen::Vector3d> dipole_debye;  ///< if the file gives it, in its own axes
  std::vector<Molecule> frames;  ///< further geometries of a trajectory (XYZ); empty for a single one
  std::shared_ptr<const Wavefunction> wavefunction;                 ///< null for files without orbitals
  std::vector<std::shared_ptr<const lattice::ScalarField>> fields;  ///< of a cube file
  OrthonormalityCheck orthonormality;  ///< meaningful when there is a wavefunction
  /// Electrons found by integrating with S (sum of occupations x norms), alpha and beta.
  ElectronCount electrons_from_overlap;
  Remarks remarks;  ///< what a person has to know of what was read
};

/// Between the HOMO and the LUMO of one spin; nothing where one of them or its energy is unknown.
std::optional<double> frontier_gap_hartree(const OrbitalSet& set, Spin spin);

/// Reads any supported file, plain or gzip'ed, the format found by its content. Throws InputError (file,
/// line, expectation, remedy), ResourceError or Cancelled; never anything else, whatever the bytes are.
Document read_document(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Whether the file is, by its content, of a format that can hold orbitals; it may hold none. False for what cannot be read.
bool may_hold_orbitals(const std::filesystem::path& path);

}  // namespace isolume::molecules
