#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <Eigen/Core>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// Writes a Molden file according to the format's description (normalised functions and contractions, [5D]/[7F]/[9G]
/// as needed, atomic units, 17 digits). Throws Error if a shell cannot be expressed (Cartesian h functions, mixed
/// Cartesian and spherical of one l) or the file cannot be written.
void write_molden(const Wavefunction& wavefunction, const OrbitalSet& set, const std::filesystem::path& path);

/// Results that a file of orbitals may state with them.
struct StatedResults {
  std::optional<double> energy_hartree;
  std::optional<Eigen::Vector3d> dipole_debye;
};

/// Writes the occupied orbitals as a WFX file, for programs of the theory of atoms in molecules: over Cartesian
/// primitives, 15 digits. The format requires an energy: without one it is zero, and the title says so. Throws Error if
/// no orbital is occupied or the file cannot be written.
void write_wfx(const Wavefunction& wavefunction, const OrbitalSet& set, const std::filesystem::path& path,
               const StatedResults& results = {});

/// Writes Chemical JSON as Avogadro 2 reads it; wavefunction and set are null for a geometry alone.
void write_cjson(const Molecule& molecule, const Wavefunction* wavefunction, const OrbitalSet* set,
                 const std::filesystem::path& path, const StatedResults& results = {});

/// Writes an XYZ file: the molecule followed by the frames.
void write_xyz(const Molecule& molecule, std::span<const Molecule> frames, const std::filesystem::path& path);

/// Writes one or several fields on one grid as a Gaussian cube file (bohr; several fields as an orbital cube with
/// their numbers). Throws Error if the grids differ or the file cannot be written, Cancelled.
void write_cube(const Molecule& molecule, std::span<const grid::ScalarField* const> fields,
                std::span<const int> orbital_numbers, std::string_view comment,
                const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes one field as a cube file in parts, byte for byte as write_cube does: it appears at `commit`, or not at all.
class CubeWriter {
 public:
  /// Requires a grid in bohr. Throws Error for another, or if the file cannot be written.
  CubeWriter(const Molecule& molecule, const grid::Grid& grid, std::string_view comment,
             const std::filesystem::path& path);
  ~CubeWriter();
  /// Writes the next planes across the first axis: a field on these only. Throws Cancelled.
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  /// Call after all planes. Throws Error if the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::molecules
