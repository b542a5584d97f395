#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <Eigen/Core>

#include "core/nbody/bodies.h"

namespace isolume::nbody {

/// Of a comoving box.
struct Expansion {
  double scale_factor = 1;
  /// By the equation of Layzer and Irvine, d(K + W) = -(2K + W) d ln a: what bodies have lost since the start, as the
  /// universe expands.
  double energy_lost = 0;

  double redshift() const { return 1 / scale_factor - 1; }
};

/// Of bodies that merge or bounce.
struct CollisionTotals {
  std::int64_t count = 0;
  double energy_lost = 0;  ///< kinetic and potential energy before each collision without that after it
};

/// What does not change, or tells of the whole, at one moment. In a comoving box energies are those of peculiar
/// velocities and of the density contrast, the momentum is times the scale factor, and what is about a centre, which
/// such a box has not, is 0.
struct Diagnostics {
  double kinetic = 0;
  double potential = 0;  ///< of all pairs, as softened
  Eigen::Vector3d momentum = {0, 0, 0};
  Eigen::Vector3d angular_momentum = {0, 0, 0};  ///< about the origin
  Eigen::Vector3d centre_of_mass = {0, 0, 0};
  /// Spheres about the centre of mass that hold these parts of the mass.
  static constexpr std::array<double, 5> mass_fractions{0.01, 0.1, 0.5, 0.9, 0.99};
  std::array<double, 5> lagrangian_radii = {};
  std::optional<Expansion> expansion = std::nullopt;  ///< nothing: not in a comoving box
  CollisionTotals collisions = {};

  double energy() const { return kinetic + potential; }
  /// 2 K / |W|: 1 in equilibrium; 0 where nothing attracts.
  double virial_ratio() const;
};

/// So many bodies are added up one after the other, and then the sums of these in their order: on any number of threads,
/// and on a GPU.
inline constexpr std::size_t bodies_of_a_sum = std::size_t{1} << 12;

/// Of bodies, or of those that are a part of all.
struct Totals {
  double mass = 0, kinetic = 0, potential = 0;
  Eigen::Vector3d place = {0, 0, 0};  ///< of each times its mass
  Eigen::Vector3d momentum = {0, 0, 0}, angular_momentum = {0, 0, 0};

  Totals& operator+=(const Totals& other);
};

/// `potential`: of each body, of all others (Forces::potential). Velocities must be there. The same on any number
/// of threads.
Totals totals_of(const Bodies& bodies, std::span<const double> potential);
/// Without the Lagrangian radii, which sums do not tell.
Diagnostics diagnostics_of(const Totals& totals);
/// All of it; see totals_of.
Diagnostics diagnostics_of(const Bodies& bodies, std::span<const double> potential);

/// In a comoving box, with potentials between comoving places.
Diagnostics comoving_diagnostics_of(const Bodies& bodies, std::span<const double> potential,
                                    const Expansion& expansion);

/// Kinetic and potential alone.
struct Energies {
  double kinetic = 0, potential = 0;
};
Energies energies_of(const Bodies& bodies, std::span<const double> potential);

/// The change of the energy since then, without what collisions have taken, relative to what it was; 0 where there was none. In a comoving box of the energy
/// with what was lost to the expansion, relative to the kinetic energy now: there is next to none of any at first, and the
/// potential energy changes its sign.
double energy_error(const Diagnostics& now, const Diagnostics& first);

Eigen::Vector3d centre_of_mass(const Bodies& bodies);

}  // namespace isolume::nbody
