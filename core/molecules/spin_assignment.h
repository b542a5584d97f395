#pragma once

#include <cstddef>
#include <optional>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// What a file says of the spins of its orbitals. Formats without spins list the alpha orbitals, then the beta ones.
struct StatedSpins {
  bool known = true;                       ///< each orbital's spin is stated
  std::optional<std::size_t> first_beta;   ///< where numbers of orbitals or of electrons tell
  std::optional<std::size_t> energy_fall;  ///< the only orbital whose energy is lower than that before it
};

/// Tells alpha from beta by the overlaps: orbitals of one spin are orthonormal, those of different spins are not.
/// `tolerance` is what counts as zero. False, and no change, where no cut leaves both spins orthonormal.
bool assign_spins(const Eigen::MatrixXd& overlap, const StatedSpins& stated, double tolerance,
                  OrbitalSet& set, Remarks& remarks);

/// Gives a set without occupations those that follow from the density of another set, if this density is diagonal in its
/// orbitals. False, and no change, where it is not.
bool derive_occupations(const Eigen::MatrixXd& overlap, const OrbitalSet& from, OrbitalSet& set);

/// Decides from the occupations of a restricted set, from its energies and from the multiplicity, where the file states
/// it, what its alpha and beta densities are.
void settle_open_shells(std::optional<int> multiplicity, OrbitalSet& set, Remarks& remarks);

}  // namespace isolume::molecules
