#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/electrostatics/sums/options.h"
#include "core/electrostatics/surfaces/molecular_surface.h"
#include "core/electrostatics/surfaces/residues.h"
#include "core/electrostatics/surfaces/surface_samples.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Electrostatic properties of a residue.
struct ResidueValues {
  std::string name;
  std::size_t atoms = 0;
  bool has_parameters = false;
  double charge = 0;  ///< in e
  double area = 0;  ///< of its part of the molecular surface, i.e. the part nearest to it, in square angstrom
  /// Potential on that part, in the map's unit: area-weighted mean, and extremes. NaN where it has none.
  double mean = std::numeric_limits<double>::quiet_NaN(), lowest = mean, highest = mean;
  /// Interaction energy: each charge times the potential of all other charges, including the solvent reaction field.
  double energy_kj_per_mol = 0;
};

/// Largest number of atoms for which Coulomb sums are direct. Larger molecules use the fast multipole method with the
/// relative error below.
inline constexpr std::size_t most_atoms_by_pairs = 50'000;
inline constexpr double fast_sum_error = 1e-7;

/// The potential in options.unit at each atom due to all other charges. With the Poisson-Boltzmann equation it is the
/// sum of the Coulomb potential with the solute's permittivity and the interpolated reaction field: the difference
/// between `potential` (the solution on its grid) and a reference solution without solvent, which is computed here
/// and cancels the self-interaction of charges on the grid.
///
/// Throws Error, ResourceError, Cancelled.
std::vector<double> potential_at_atoms(const structures::Charges& charges, const grid::ScalarField& potential,
                                       const PotentialOptions& options, const jobs::Progress& progress = {});

/// The energy in kJ/mol of 1 e at a potential of 1 in options.unit.
double kj_per_mol_of_unit(const PotentialOptions& options);

/// For every residue, in the order of the file, without the energy, which stays 0: only that takes long. Arguments are
/// those of sample_surface. Throws ResourceError, Cancelled.
std::vector<ResidueValues> residue_surface_values(const structures::Charges& charges,
                                                  const grid::ScalarField& potential,
                                                  const SampledSurface& surface,
                                                  const PotentialOptions& options, SolventSurfaces& known,
                                                  const jobs::Progress& progress = {});

/// For every residue, in the order of the file. `potential`: the map computed with the options, in angstrom along x,
/// y and z. Throws Error, ResourceError, Cancelled.
std::vector<ResidueValues> residue_values(const structures::Charges& charges,
                                          const grid::ScalarField& potential, const PotentialOptions& options,
                                          const SampledSurface& surface, const jobs::Progress& progress = {});

/// The same with the result of potential_at_atoms, which takes most of the time, and a cache of the surfaces of these
/// charges, which is used and updated.
std::vector<ResidueValues> residue_values(const structures::Charges& charges,
                                          const grid::ScalarField& potential,
                                          std::span<const double> at_atoms, const PotentialOptions& options,
                                          const SampledSurface& surface, SolventSurfaces& known,
                                          const jobs::Progress& progress = {});

/// Writes a table with a line for each residue: residue,atoms,charge,area,mean,lowest,highest,energy,parameters. A
/// comment before it gives the units; unknown values are empty cells. Throws Error where it cannot be written.
void write_residue_values(const std::vector<ResidueValues>& values, std::string_view potential_unit,
                          const std::filesystem::path& path);

/// Writes a table with a line for each atom: atom,name,residue,charge,radius,potential,energy; the potential is the
/// result of potential_at_atoms, the energy its product with the charge in kJ/mol. A comment before it gives the
/// units. Only `selected` atoms are written; empty: all are written. Throws Error where it cannot be written.
void write_atom_values(const structures::Charges& charges, std::span<const double> at_atoms,
                       const PotentialOptions& options, const std::filesystem::path& path,
                       const std::vector<bool>& selected = {});

}  // namespace isolume::electrostatics
