#pragma once

#include <cstddef>

namespace isolume::nbody {

/// An expanding universe of cold matter and a cosmological constant. Times are in units of 1 / H0 (9.778 Gyr / h), so
/// that the Hubble rate today is 1. The scale factor a is 1 today; a redshift z is 1 / a - 1.
struct Cosmology {
  double omega_matter = 0.31;
  double omega_lambda = 0.69;  ///< curvature makes up the rest to 1
  double hubble = 0.68;        ///< h: H0 in 100 km/s/Mpc

  double omega_curvature() const { return 1 - omega_matter - omega_lambda; }
  /// H(a) / H0 (Friedmann).
  double expansion_rate(double scale_factor) const;
  /// Linear growth factor D of the growing mode; equal to a while matter dominates (Heath, MNRAS 179, 351 (1977)).
  double growth(double scale_factor) const;
  /// d ln D / d ln a.
  double growth_rate(double scale_factor) const;
  /// Time since the Big Bang.
  double age(double scale_factor) const;

  // Quinn, Katz, Stadel, Lake, astro-ph/9710043 (1997): with the momentum p = a^2 dx/dt of comoving positions x, each
  // half of the Hamiltonian is solved exactly by p += kick g, g being Newton's acceleration between comoving
  // positions, and x += drift p. Both are negative where the second scale factor is the smaller.

  /// Integral of dt / a.
  double kick(double from, double to) const;
  /// Integral of dt / a^2.
  double drift(double from, double to) const;
};

/// Throws Error where a number is not finite or out of range: matter from 0.01 to 1, lambda from 0 to 1, h from 0.1
/// to 2.
void check(const Cosmology& cosmology);

/// A periodic cube that expands with the universe. Positions of bodies in it are comoving, in Mpc/h; their velocities
/// are peculiar, a dx/dt, in units of 100 km/s; with G = 1 and times in units of 1 / H0, masses are in units of
/// 2.3251e12 solar masses / h.
struct ComovingBox {
  double side = 0;  ///< Mpc/h
  Cosmology cosmology = {};

  /// Total mass: the mean density times the volume.
  double mass() const;
};

/// Throws Error where the side is not above 0 and finite, or as check(Cosmology) does.
void check(const ComovingBox& box);

/// In Mpc/h, for so many bodies: a twenty-fifth of their mean distance.
double usual_softening(const ComovingBox& box, std::size_t bodies);

/// Wraps a coordinate into the box: from 0 to below `side`.
double wrapped(double place, double side);

}  // namespace isolume::nbody
