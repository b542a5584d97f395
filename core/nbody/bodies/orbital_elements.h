#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <Eigen/Core>

#include "core/nbody/bodies/bodies.h"

namespace isolume::nbody {

/// Osculating elements: the Kepler orbit that two point masses would follow from their present positions and
/// velocities. Angles in radians; the reference plane is x-y, the reference direction x.
struct OrbitalElements {
  /// Negative on a hyperbola; infinite on a parabola, where kinetic and potential energy agree to 1e-12.
  double semi_major_axis = 0;
  double eccentricity = 0;
  /// NaN for motion along a line through the primary, whose plane is undefined; the same holds for the next two.
  double inclination = 0;     ///< 0 to pi
  double ascending_node = 0;  ///< 0 to 2 pi; 0 where the orbit lies in the reference plane
  double argument_of_pericentre =
      0;                    ///< 0 to 2 pi; 0 on a circle, where anomalies are measured from the node
  double true_anomaly = 0;  ///< 0 to 2 pi
  /// Ellipse: 0 to 2 pi. Hyperbola: e sinh H - H; parabola: D + D^3 / 3 with D = tan(true anomaly / 2) (Barker).
  double mean_anomaly = 0;
  double period = 0;  ///< infinite where unbound
  double pericentre = 0;
  double apocentre = 0;  ///< infinite where unbound

  bool bound() const { return period < std::numeric_limits<double>::infinity(); }
};

/// `place` and `velocity` are relative to the primary; `attraction`: G times the sum of both masses, above 0. Units
/// are those of the arguments. Throws Error where both bodies coincide, or a number is not finite.
/// C. D. Murray, S. F. Dermott, Solar System Dynamics (1999), 2.8.
OrbitalElements orbital_elements(const Eigen::Vector3d& place, const Eigen::Vector3d& velocity,
                                 double attraction);

/// Position of a body on a bound orbit at an eccentric anomaly (radians), relative to the primary. The orbital plane
/// must be defined.
Eigen::Vector3d place_on_ellipse(const OrbitalElements& orbit, double eccentric_anomaly);

/// What an orbit is described about.
enum class OrbitAbout {
  tightest,   ///< the body to which it is bound most tightly; if unbound, the barycentre
  barycentre  ///< the centre of mass of all other bodies, with their total mass
};

/// The primary of a body's orbit.
struct Primary {
  std::optional<std::size_t> body;  ///< nothing: the barycentre of all other bodies
  double mass = 0;
  Eigen::Vector3d place = {0, 0, 0}, velocity = {0, 0, 0};
};

/// Among all bodies of at least its mass to which it is bound in the two-body problem, the one about which it would
/// have the shortest period: the Earth for the Moon, though the Sun pulls it more, and the Sun for the Earth. With G
/// = 1; softening is ignored. Nothing where the other bodies have no mass. Time grows with the number of bodies.
std::optional<Primary> primary_of(const Bodies& bodies, std::size_t body, OrbitAbout about);

}  // namespace isolume::nbody
