#pragma once

#include <vector>

#include "core/gaussians/charge_sites.h"

namespace isolume::gaussians {

/// The electrostatic potential of a wavefunction's nuclei and electrons in Eh/e, positions in bohr:
///   V(r) = sum_A Z_A / |r - R_A| - sum_mu,nu D_mu,nu integral of chi_mu(r') chi_nu(r') / |r - r'|,
/// with D from the orbitals of one set and their occupations, both spins added. Z_A is the effective nuclear
/// charge: the electrons of an effective core potential are placed at the nucleus.
class WavefunctionPotential {
 public:
  /// Upper bound of the sum of all approximation errors, in Eh/e.
  static constexpr double usual_tolerance = 1e-8;

  /// `set`: one of wavefunction.sets. Throws Error if the shapes do not match or a number is not finite,
  /// ResourceError, Cancelled.
  WavefunctionPotential(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                        double tolerance = usual_tolerance, const jobs::Progress& progress = {});

  /// Sets tile.potential. A nucleus closer to a point than `nearest` adds nothing there. Throws Cancelled.
  void evaluate(PointTile& tile, double nearest, const jobs::Progress& progress = {}) const;

  double electrons() const { return electrons_; }  ///< the integral of their density
  double nuclear_charge() const { return nuclear_charge_; }
  /// Dipole of nuclei and electrons in e bohr, from the origin; with a net charge, from the nuclei's centre
  /// of charge.
  const Eigen::Vector3d& dipole() const { return dipole_; }
  /// For other engines.
  const ChargeSites& sites() const { return sites_; }
  const std::vector<Nucleus>& nuclei() const { return nuclei_; }

  std::size_t gaussian_count() const { return sites_.gaussians().size(); }

 private:
  WavefunctionPotential(const molecules::Wavefunction& wavefunction, HermiteDensity density, double tolerance,
                        const jobs::Progress& progress);

  double electrons_ = 0, nuclear_charge_ = 0;
  Eigen::Vector3d dipole_;
  std::vector<Nucleus> nuclei_;
  ChargeSites sites_;
};

}  // namespace isolume::gaussians
