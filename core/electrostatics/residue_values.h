#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/electrostatics/molecular_surface.h"
#include "core/electrostatics/options.h"
#include "core/electrostatics/residues.h"
#include "core/electrostatics/surface_samples.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// What people ask of a residue.
struct ResidueValues {
  std::string name;
  std::size_t atoms = 0;
  bool has_parameters = false;
  double charge = 0;  ///< in e
  double area = 0;    ///< of the part of the molecular surface that is nearest to it, in square angstrom
  /// Of the potential on that part, in its unit: the mean by area, and the extremes. NaN where it has none.
  double mean = std::numeric_limits<double>::quiet_NaN(), lowest = mean, highest = mean;
  /// The sum of its charges times the potential that all other charges and what the solvent answers have there.
  double energy_kj_per_mol = 0;
};

/// Largest number of atoms whose Coulomb sums run over all pairs. Larger molecules use the fast multipole method with the relative error
/// below.
inline constexpr std::size_t most_atoms_by_pairs = 50'000;
inline constexpr double fast_sum_error = 1e-7;

/// The potential in options.unit at each atom, of all charges but its own. With the Poisson-Boltzmann equation it is that
/// of a sum in the solute's permittivity, and in addition, interpolated, what `potential` (the solution on its lattice) has
/// more than the solution without a solvent, which is computed: what a charge does to itself on a lattice cancels, what
/// the solvent answers it is kept.
///
/// Throws Error, ResourceError, Cancelled.
std::vector<double> potential_at_atoms(const structures::Charges& charges,
                                       const lattice::ScalarField& potential, const PotentialOptions& options,
                                       const jobs::Progress& progress = {});

/// The energy in kJ/mol of 1 e where the potential is 1 in options.unit.
double kj_per_mol_of_unit(const PotentialOptions& options);

/// Of every residue, in the order of the file, all but the energy, which stays 0: that alone takes long. `potential`: any
/// map in angstrom along x, y and z. Throws ResourceError, Cancelled.
std::vector<ResidueValues> residue_surface_values(const structures::Charges& charges,
                                                  const lattice::ScalarField& potential,
                                                  const SampledSurface& surface, double probe_angstrom,
                                                  const jobs::Progress& progress = {});

/// Of every residue, in the order of the file. `potential`: the map that the options give, in angstrom along x, y and z.
/// Throws Error, ResourceError, Cancelled.
std::vector<ResidueValues> residue_values(const structures::Charges& charges,
                                          const lattice::ScalarField& potential,
                                          const PotentialOptions& options, const SampledSurface& surface,
                                          const jobs::Progress& progress = {});

/// The same with `at_atoms` of potential_at_atoms, which takes most of the time.
std::vector<ResidueValues> residue_values(const structures::Charges& charges,
                                          const lattice::ScalarField& potential,
                                          std::span<const double> at_atoms, const PotentialOptions& options,
                                          const SampledSurface& surface, const jobs::Progress& progress = {});

/// A table with a line for each residue: residue,atoms,charge,area,mean,lowest,highest,energy,parameters. What the units
/// are stands in a comment above; cells of what there is not are empty. Throws Error where it cannot be written.
void write_residue_values(const std::vector<ResidueValues>& values, std::string_view potential_unit,
                          const std::filesystem::path& path);

/// A table with a line for each atom: atom,name,residue,charge,radius,potential,energy; the potential is `at_atoms` of
/// potential_at_atoms, the energy its product with the charge in kJ/mol. What the units are stands in a comment above.
/// Atoms that are not `selected` are left out; empty: all are written. Throws Error where it cannot be written.
void write_atom_values(const structures::Charges& charges, std::span<const double> at_atoms,
                       const PotentialOptions& options, const std::filesystem::path& path,
                       const std::vector<bool>& selected = {});

}  // namespace isolume::electrostatics
