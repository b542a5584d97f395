#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "core/anatomy/currents.h"
#include "core/anatomy/labels.h"
#include "core/anatomy/surface.h"
#include "core/anatomy/term_parameters.h"
#include "core/base/remarks.h"
#include "core/grid/grid.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

/// The same surface in both images, in mm along the patient's axes (LPS).
struct SurfacePair {
  std::string name;
  Surface fixed, moving;
};

/// Surfaces of these labels of both images, of all that both have where none is named; 0 is the background. A remark names how many
/// labels only one of them has. Throws Error where there is none, where a named label is missing, and as surface_of().
std::vector<SurfacePair> surface_pairs(const Labels& fixed, const Labels& moving,
                                       std::span<const std::int64_t> labels, Remarks& remarks,
                                       const jobs::Progress& progress = {});

/// Surfaces that a registration brings together, in mm along the grid's axes from its first voxel; the moving ones as a linear map
/// has placed them.
///
/// With N voxels, n pairs and the distance D of currents (CurrentsDistance) of a pair as the deformation carries the fixed
/// surface, the sum of the mismatch grows by weight N / n sum of D^2 / (|fixed|^2 + |moving|^2), times the square of the range of values.
/// Flat surfaces a kernel width apart have a relative distance D^2 / (|fixed|^2 + |moving|^2) of 0.4, and 0.005 at a tenth of it.
struct SurfaceTerm {
  std::vector<SurfacePair> pairs;
  double weight = 1;
  double width_mm = 5;  ///< of the kernel at the finest level; wider at others, as their voxels are

  bool empty() const { return pairs.empty() || weight == 0; }
};
/// The pairs on a grid, whose positions p lie at map * p in the moving image.
SurfaceTerm placed_on(std::vector<SurfacePair> pairs, const grid::Grid& grid, const Eigen::Affine3d& map,
                      const TermParameters& parameters);

/// How far the surfaces of a pair are apart, in mm of the fixed image: as the linear map places them, and as the deformation does.
struct SurfaceResult {
  std::string name;
  MeshDistances before, after;
};
/// `displacement`: on the grid of the term, in voxels. Throws Cancelled.
std::vector<SurfaceResult> surface_results(const SurfaceTerm& term, const volumes::VectorField& displacement,
                                           const std::array<double, 3>& spacing_mm,
                                           const jobs::Progress& progress = {});

/// Forces of surfaces on the grid of a level, for steps of greedy fluid registration.
///
/// A point p of the fixed surface lies at h(p) = p + u(p) in the moving image. A step v of the grid makes h(p + v(p)) of it: with g the
/// derivative of the term by h(p), the derivative by v(p) is (grad h)^T g, and that by the grid's points its adjoint of trilinear
/// interpolation.
///
/// Of a geodesic flow, p is carried back through all of its steps v to h(p), p -> p - v(p) each, and the derivative ahead again:
/// that by v(p) is minus the derivative by p - v(p), and that by p is it times (1 - grad v)^T.
///
/// Levels that are coarser than the grid have simplified surfaces, with points joined within a fifth of the kernel's width.
class SurfaceForces {
 public:
  /// `finest`: the grid of the term; `counts` and spacing: of the level. `intensity`: range of values that counts as 1.
  SurfaceForces(const SurfaceTerm& term, const volumes::Counts& finest, const volumes::Counts& counts,
                const std::array<double, 3>& spacing_mm, double intensity);

  bool empty() const { return pairs_.empty(); }
  /// The surfaces' part of the sum of the mismatch. Keeps the forces of this displacement.
  double measure(const volumes::VectorField& displacement);
  /// The same for a flow of velocities, in mm for each step. Keeps the forces on all of them.
  double measure_along(std::span<const volumes::VectorField> velocities);
  /// The mean of the pairs' relative distances, as last measured.
  double relative_distance() const { return relative_; }
  /// Adds the forces of the last measure(), which are minus half of its derivative by each vector in mm.
  void add(volumes::VectorField& force) const;
  /// The same of the last measure_along(), for one of its steps.
  void add_along(std::size_t step, volumes::VectorField& force) const;

 private:
  struct GridPair {
    std::vector<Eigen::Vector3d> points;   ///< of the fixed surface, in mm
    std::vector<Eigen::Vector3d> indices;  ///< the same as indices of the level
    std::vector<Eigen::Vector3d> forces;
    CurrentsDistance distance;
    std::vector<std::vector<Eigen::Vector3d>> path, forces_along;  ///< of each step: before it, as indices
  };

  /// Makes minus half of the derivative by each point of a pair as it is moved.
  void measure_pair(GridPair& pair, std::span<const Eigen::Vector3d> moved);

  Eigen::Vector3d spacing_;
  double weight_ = 0;  ///< of all relative distances together
  double relative_ = 0;
  std::vector<GridPair> pairs_;
};

}  // namespace isolume::anatomy
