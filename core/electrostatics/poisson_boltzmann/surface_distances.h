#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/poisson_boltzmann/solvent_surface.h"

namespace isolume::electrostatics {

/// Distances of points from a solvent-excluded surface, down to a depth below it.
class SurfaceDistances {
 public:
  /// In angstrom. Uses all threads of the calling arena. Throws ResourceError, Cancelled.
  SurfaceDistances(std::shared_ptr<const SolventSurface> surface, double deepest,
                   const jobs::Progress& progress = {});

  const SolventSurface& surface() const { return *surface_; }
  std::shared_ptr<const SolventSurface> shared_surface() const { return surface_; }
  double deepest() const { return deepest_; }

  /// The signed distance from the surface in angstrom, negative inside, of a point whose distance from the ball
  /// `closest` is `distance`, smaller than from all others (negative inside of the ball). Limited to -`down_to`,
  /// which is at most deepest(). For points that the probe's centre cannot reach: distance < probe.
  double at(const Eigen::Vector3d& place, std::size_t closest, double distance, double down_to) const;

 private:
  /// Index of a point's cell; SIZE_MAX outside of all.
  std::size_t cell_of(const Eigen::Vector3d& place) const;
  void sort_arcs(const jobs::Progress& progress);

  std::shared_ptr<const SolventSurface> surface_;
  double deepest_, side_ = 1;
  /// A grid of cubes, with the arcs within reach of each.
  Eigen::Vector3d low_ = Eigen::Vector3d::Zero();
  std::array<int, 3> cells_{};
  std::vector<std::size_t> first_in_cell_;
  std::vector<std::uint32_t> in_cell_;
};

}  // namespace isolume::electrostatics
