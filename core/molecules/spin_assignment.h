#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// The spins of a file's orbitals as far as stated. Formats without spins list the alpha orbitals, then the beta
/// ones.
struct StatedSpins {
  bool known = true;                       ///< each orbital's spin is stated
  std::optional<std::size_t> first_beta;   ///< if it follows from numbers of orbitals or of electrons
  std::optional<std::size_t> energy_fall;  ///< the only orbital with a lower energy than the previous one
};

/// The only orbital with a lower energy than the previous one: energies of alpha orbitals increase, then those of
/// beta orbitals.
std::optional<std::size_t> only_energy_fall(const std::vector<Orbital>& orbitals);

/// Assigns alpha and beta by the overlaps: orbitals of one spin are orthonormal, those of different spins are not.
/// `tolerance`: deviation that counts as zero. Returns false, without changes, if no position leaves both spins
/// orthonormal.
bool assign_spins(const Eigen::MatrixXd& overlap, const StatedSpins& stated, double tolerance,
                  OrbitalSet& set, Remarks& remarks);

/// Gives a set without occupations those that follow from the density of another set, if this density is diagonal in
/// its orbitals. Returns false, without changes, if it is not.
bool derive_occupations(const Eigen::MatrixXd& overlap, const OrbitalSet& from, OrbitalSet& set);

/// Determines the alpha and beta densities of a restricted set from its occupations, its energies and, if stated in
/// the file, the multiplicity.
void settle_open_shells(std::optional<int> multiplicity, OrbitalSet& set, Remarks& remarks);

}  // namespace isolume::molecules
