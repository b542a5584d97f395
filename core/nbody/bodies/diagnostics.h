#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/nbody/bodies/bodies.h"

namespace isolume::nbody {

/// For a comoving box.
struct Expansion {
  double scale_factor = 1;
  /// By the Layzer-Irvine equation, d(K + W) = -(2K + W) d ln a: energy lost by the bodies since the start as the
  /// universe expands.
  double energy_lost = 0;

  double redshift() const { return 1 / scale_factor - 1; }
};

/// For bodies that merge or bounce.
struct CollisionTotals {
  std::int64_t count = 0;
  double energy_lost = 0;  ///< kinetic and potential energy before each collision minus that after it
  /// Kinetic energy before each collision minus that after it: energy dissipated, 0 or more. NaN: not known.
  double kinetic_lost = 0;

  /// Potential energy after each collision minus that before it. The energy of a pair that merges, which is negative,
  /// is then within one body and no longer counts.
  double potential_change() const { return kinetic_lost - energy_lost; }
};

/// Conserved and global quantities at one time. In a comoving box, energies are those of peculiar velocities and of
/// the density contrast, the momentum is multiplied by the scale factor, and quantities about a centre, which such a
/// box does not have, are 0.
struct Diagnostics {
  double kinetic = 0;
  double potential = 0;  ///< of all pairs, softened
  Eigen::Vector3d momentum = {0, 0, 0};
  Eigen::Vector3d angular_momentum = {0, 0, 0};  ///< about the origin
  Eigen::Vector3d centre_of_mass = {0, 0, 0};
  /// Lagrangian radii: radii of spheres about the centre of mass that contain these fractions of the mass.
  static constexpr std::array<double, 5> mass_fractions{0.01, 0.1, 0.5, 0.9, 0.99};
  std::array<double, 5> lagrangian_radii = {};
  std::optional<Expansion> expansion = std::nullopt;  ///< nothing: not in a comoving box
  CollisionTotals collisions = {};

  double energy() const { return kinetic + potential; }
  /// 2 K / |W|: 1 in equilibrium; 0 where there is no gravity.
  double virial_ratio() const;
};

/// Block size of sums: bodies of a block are added in their order, then the blocks in their order, with any number of
/// threads and on a GPU.
inline constexpr std::size_t bodies_of_a_sum = std::size_t{1} << 12;

/// Sums over all bodies, or over a part of them.
struct Totals {
  double mass = 0, kinetic = 0, potential = 0;
  Eigen::Vector3d place = {0, 0, 0};  ///< sum of position times mass
  Eigen::Vector3d momentum = {0, 0, 0}, angular_momentum = {0, 0, 0};

  Totals& operator+=(const Totals& other);
};

/// `potential`: potential at each body from all others (Forces::potential). Requires velocities. The same with any
/// number of threads.
Totals totals_of(const Bodies& bodies, std::span<const double> potential);
/// Without the Lagrangian radii, which cannot be derived from sums.
Diagnostics diagnostics_of(const Totals& totals);
/// All diagnostics; see totals_of.
Diagnostics diagnostics_of(const Bodies& bodies, std::span<const double> potential);

/// In a comoving box; `potential` is that of comoving positions.
Diagnostics comoving_diagnostics_of(const Bodies& bodies, std::span<const double> potential,
                                    const Expansion& expansion);

/// Kinetic and potential energy only.
struct Energies {
  double kinetic = 0, potential = 0;
};
Energies energies_of(const Bodies& bodies, std::span<const double> potential);

/// Relative change of the energy since `first`, not counting energy lost in collisions; 0 where `first` has no
/// energy. In a comoving box: change of the energy including what was lost to the expansion, relative to the present
/// kinetic energy, because initial energies are close to 0 and the potential energy changes its sign.
double energy_error(const Diagnostics& now, const Diagnostics& first);
/// Warns of an energy_error above 1 %.
Remarks remarks_on_energy(double energy_error);

Eigen::Vector3d centre_of_mass(const Bodies& bodies);

}  // namespace isolume::nbody
