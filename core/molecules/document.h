#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// Result of the orthonormality check C^T S C = 1 of a wavefunction file.
struct OrthonormalityCheck {
  /// "as written", or the deviation from the format that was corrected: "primitive-norms",
  /// "primitive-norms-and-signs", "cartesian-shell-norms", "cartesian-xx-norms", "cartesian-xy-norms",
  /// "opposite-signs", "swapped-10f-15g", "unnormalised-contractions", "unnormalised-functions", "wrong-length-unit";
  /// "unproven" if nothing restores orthonormality.
  std::string name = "unproven";
  /// max |C^T S C - 1| over all orbital sets after the correction named above; without one, as written.
  double worst_deviation = 0;
  /// The same for the first set, before any correction.
  double deviation_as_written = 0;
  /// The deviation above is more than 1e-4, but explained by printed digits or inexact virtual orbitals.
  bool limited = false;
  /// For the user: the finding and the correction. One or two sentences.
  std::string explanation;

  /// Positions in the first set of orbitals that are not orthonormal to the others, although the correction above
  /// explains those: damaged, or truncated by the end of the file. `worst_deviation` includes them.
  std::vector<int> spoilt_orbitals;

  bool proven() const { return name != "unproven" && spoilt_orbitals.empty(); }
};

inline constexpr double debye_per_e_bohr = 2.541746473;  ///< CODATA 2018

struct Energy {
  double hartree = 0;
  std::string kind;  ///< "total", or "SCF" if a correlated method may have followed
};

/// Content of one file: at least a molecule; optionally a wavefunction, fields on a grid, several geometries.
struct Document {
  std::filesystem::path path;
  std::string format;   ///< the name of the reader: "molden", "wfx", "cube" ...
  std::string program;  ///< program that wrote it, if the file states it
  Molecule molecule;
  std::optional<Energy> energy;                 ///< the last one, if the file gives it
  std::optional<Eigen::Vector3d> dipole_debye;  ///< if the file gives it, in its own axes
  std::vector<Molecule> frames;  ///< further geometries of a trajectory (XYZ); empty for a single one
  std::shared_ptr<const Wavefunction> wavefunction;              ///< null for files without orbitals
  std::vector<std::shared_ptr<const grid::ScalarField>> fields;  ///< of a cube file
  OrthonormalityCheck orthonormality;  ///< only meaningful if there is a wavefunction
  /// Electrons found by integrating with S (sum of occupations x norms), alpha and beta.
  ElectronCount electrons_from_overlap;
  Remarks remarks;  ///< information that the user should have about the reading
};

/// Between the HOMO and the LUMO of one spin; nothing if one of them or its energy is unknown, or if their occupations
/// are fractional, as those of natural orbitals.
std::optional<double> frontier_gap_hartree(const OrbitalSet& set, Spin spin);

/// Reads any supported file, plain or gzipped, recognising the format by its content. Throws InputError (file, line,
/// expectation, remedy), ResourceError or Cancelled; never anything else, whatever the bytes are.
Document read_document(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Whether the file's format, by its content, can contain orbitals; the file need not. False if it cannot be read.
bool may_hold_orbitals(const std::filesystem::path& path);

}  // namespace isolume::molecules
