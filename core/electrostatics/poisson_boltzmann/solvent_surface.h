#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// The solvent-accessible surface, traced by the centre of a probe that rolls over the atoms: the surface of spheres
/// whose radii are increased by the probe's. It consists of parts of spheres, and of arcs where two of them meet. The
/// inside of the solvent-excluded surface is the set of points farther than the probe's radius from it
/// (SurfaceDistances). Lee and Richards, J. Mol. Biol. 55, 379 (1971); Connolly, J. Appl. Cryst. 16, 548 (1983).
///
/// Everything is exact up to the rounding of double precision: no surface is sampled.
class SolventSurface {
 public:
  /// An atom as a sphere: atoms of radius 0 are left out.
  struct Ball {
    Eigen::Vector3d centre;
    double radius;
  };
  /// The points centre + radius (cos(t) along + sin(t) across), |t| <= half its angle.
  struct Arc {
    Eigen::Vector3d centre, axis, along, across;
    double radius;
    double cosine, sine;  ///< of half its angle; the cosine is -1 for a circle
    Eigen::Vector3d middle;
    double reach;  ///< from its middle to its farthest points
  };

  SolventSurface() = default;
  /// Only the balls, for surfaces without a probe.
  explicit SolventSurface(const structures::Charges& charges);
  /// Lengths in angstrom. Uses all threads of the calling arena. Throws Cancelled.
  SolventSurface(const structures::Charges& charges, double probe, const jobs::Progress& progress);

  double probe() const { return probe_; }
  /// In the order of z.
  const std::vector<Ball>& balls() const { return balls_; }
  /// The balls whose surface, extended by `reach`, crosses z = `height`, and possibly more.
  std::span<const Ball> balls_at(double height, double reach) const;
  const std::vector<Arc>& arcs() const { return arcs_; }

  /// Whether another ball covers this point on a ball's surface extended by the probe.
  bool covered(const Eigen::Vector3d& place, std::size_t ball) const;

 private:
  void find_neighbours(const jobs::Progress& progress);
  void find_arcs(const jobs::Progress& progress);
  std::span<const std::uint32_t> neighbours_of(std::size_t ball) const;

  double probe_ = 0, largest_ = 0;
  std::vector<Ball> balls_;
  /// Neighbours of ball b: those of neighbours_ from first_neighbour_[b] on, with those first that cover most of it.
  std::vector<std::size_t> first_neighbour_;
  std::vector<std::uint32_t> neighbours_;
  std::vector<Arc> arcs_;
};

}  // namespace isolume::electrostatics
