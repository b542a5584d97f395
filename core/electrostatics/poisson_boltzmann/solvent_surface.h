#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// The surface that the centre of a probe reaches as it rolls over the atoms: that of spheres of the radii and the
/// probe's. It consists of parts of spheres, and of arcs where two of them meet. What the probe cannot enter, the
/// inside of the solvent-excluded surface, is all that is farther than the probe's radius from it. Lee and Richards,
/// J. Mol. Biol. 55, 379 (1971); Connolly, J. Appl. Cryst. 16, 548 (1983).
///
/// Everything is exact up to the rounding of double precision: no surface is sampled.
class SolventSurface {
 public:
  /// An atom as it takes up room: those of radius 0 do not.
  struct Ball {
    Eigen::Vector3d centre;
    double radius;
  };

  SolventSurface() = default;
  /// The balls alone, for surfaces that no probe rolls over.
  explicit SolventSurface(const structures::Charges& charges) { take_balls(charges); }
  /// Lengths in angstrom. Uses all threads of the arena it is called in. Throws ResourceError, Cancelled.
  SolventSurface(const structures::Charges& charges, double probe, const jobs::Progress& progress);

  double probe() const { return probe_; }
  const std::vector<Ball>& balls() const { return balls_; }

  /// The signed distance from the solvent-excluded surface in angstrom, negative inside, of a place whose distance
  /// from the ball `closest` is `distance`, less than from all others (negative inside of the ball). -`deepest` where
  /// it is less than that. For places that the probe's centre does not reach: distance < probe().
  double signed_distance(const Eigen::Vector3d& place, std::size_t closest, double distance,
                         double deepest) const;
  /// Up to this depth, signed_distance finds its way quickly. Call before it with what will be asked for.
  void prepare(double deepest);

  std::size_t arc_count() const { return arcs_.size(); }

 private:
  /// The points centre + radius (cos(t) along + sin(t) across), |t| <= half its angle.
  struct Arc {
    Eigen::Vector3d centre, axis, along, across;
    double radius;
    double cosine, sine;  ///< of half its angle; the cosine is -1 for a circle
    Eigen::Vector3d middle;
    double reach;  ///< from its middle to its farthest points
  };

  void take_balls(const structures::Charges& charges);
  void find_neighbours(const jobs::Progress& progress);
  void find_arcs(const jobs::Progress& progress);
  std::vector<Arc> arcs_of(std::size_t ball) const;
  /// Whether another ball covers this place of the surface of a ball.
  bool covered(const Eigen::Vector3d& place, std::size_t ball) const;
  std::size_t cell_of(const Eigen::Vector3d& place) const;

  double probe_ = 0;
  std::vector<Ball> balls_;
  /// Of ball b: those of neighbours_ from first_neighbour_[b] on, the nearest first.
  std::vector<std::size_t> first_neighbour_;
  std::vector<std::uint32_t> neighbours_;
  std::vector<Arc> arcs_;
  /// Cubes of space, and which arcs are within reach of each.
  double deepest_ = -1, side_ = 1;
  Eigen::Vector3d low_ = Eigen::Vector3d::Zero();
  std::array<int, 3> cells_{};
  std::vector<std::size_t> first_in_cell_;
  std::vector<std::uint32_t> in_cell_;
};

}  // namespace isolume::electrostatics
