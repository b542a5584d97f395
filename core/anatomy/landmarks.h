#pragma once

#include <span>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "core/anatomy/transform.h"
#include "core/grid/grid.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

/// The same point of the anatomy in both images, in mm along the patient's axes (LPS).
struct LandmarkPair {
  Eigen::Vector3d fixed = Eigen::Vector3d::Zero(), moving = Eigen::Vector3d::Zero();
  std::string name;

  bool operator==(const LandmarkPair&) const = default;
};
using LandmarkPairs = std::vector<LandmarkPair>;

/// Whether the pairs determine a rotation: both images' points have three that do not lie on a line.
bool determine_rotation(std::span<const LandmarkPair> pairs);
/// The rotation and translation that bring the fixed points nearest to the moving ones, in the mean of squares
/// (S. Umeyama, IEEE Trans. Pattern Anal. Mach. Intell. 13, 376, 1991): a point p of the fixed image lies at result * p.
/// Of several such rotations, one that turns least. Throws Error without a pair.
Eigen::Affine3d rigid_fit(std::span<const LandmarkPair> pairs);
/// The affine map of least squares. Where the pairs do not determine it (all in a plane, fewer than four), it is that of
/// rigid_fit(). Throws Error without a pair.
Eigen::Affine3d affine_fit(std::span<const LandmarkPair> pairs);

/// The trilinear vector at an index; outside, the nearest one inside.
Eigen::Vector3d vector_at(const volumes::VectorField& field, const Eigen::Vector3d& index);
/// The gradient of x + u(x) at an index, by differences over a voxel; a column for each axis.
Eigen::Matrix3d map_gradient_at(const volumes::VectorField& field, const Eigen::Vector3d& index);

/// The distances in mm of each pair under a map: |map(fixed) - moving|.
std::vector<double> errors_of(std::span<const LandmarkPair> pairs, const Transform& transform);
double root_mean_square(std::span<const double> errors);

/// A pair as indices of the fixed image's grid; the moving point as a linear map has placed it.
struct GridLandmark {
  Eigen::Vector3d fixed, moving;
};
/// Whether an index lies on the grid, or at most half a voxel outside.
bool is_on_grid(const Eigen::Vector3d& index, const grid::Grid& grid);
/// The pairs whose fixed point lies on the grid: those that a deformation on it can move.
std::vector<GridLandmark> on_grid(std::span<const LandmarkPair> pairs, const grid::Grid& grid,
                                  const Eigen::Affine3d& map);

/// Pairs that a registration brings together. With N voxels, n pairs and the distances d in mm, the sum of the mismatch
/// grows by weight N / n sum of (d / 10 mm)^2: at a weight of 1, a root mean square distance of 1 mm counts as much as a
/// root mean square difference of 0.1.
struct LandmarkTerm {
  std::vector<GridLandmark> pairs;
  double weight = 1;
};

/// Forces of pairs on the grid of a level, for steps of greedy fluid registration.
///
/// A force at a point alone would move this point and hardly its neighbours, so it is spread over a Gaussian, and smoothed
/// with the forces of the images. A few points are much stiffer than images: a step of the images' size would
/// overshoot. Forces are therefore those of an implicit step: with c the weight per pair, s the step size and m the
/// velocity that a unit force on all pairs makes at a pair, the force of a distance d is c d / (1 + s c m).
class LandmarkForces {
 public:
  /// `finest`: the grid of the indices of the pairs. `intensity`: range of values that counts as 1.
  LandmarkForces(const LandmarkTerm& term, const volumes::Counts& finest, const volumes::Counts& counts,
                 const std::array<double, 3>& spacing_mm, double intensity);

  bool empty() const { return pairs_.empty(); }
  /// As indices of the level.
  std::span<const GridLandmark> pairs() const { return pairs_; }
  /// c, which the square of a distance in mm is multiplied by.
  double weight() const { return weight_; }
  /// What is left between a pair after a displacement in voxels, in mm along the grid's axes.
  Eigen::Vector3d distance_mm(const GridLandmark& pair, const Eigen::Vector3d& displacement) const;
  /// A derivative by mm as one by voxels.
  Eigen::Vector3d per_voxel(const Eigen::Vector3d& by_mm) const { return by_mm.cwiseProduct(spacing_); }
  /// The pairs' part of the sum of the mismatch.
  double measure(const volumes::VectorField& displacement) const;
  /// Adds a force of 1 along x at all pairs.
  void add_unit(volumes::VectorField& force) const;
  /// Takes m from the velocity that add_unit() has made.
  void set_response(const volumes::VectorField& velocity);
  /// Adds the forces of the present distances for a step of this size. No pair alone moves farther than `longest` voxels.
  void add(const volumes::VectorField& displacement, double step_size, double longest,
           volumes::VectorField& force) const;

 private:
  void spread(const Eigen::Vector3d& centre, const Eigen::Vector3d& force, volumes::VectorField& to) const;

  volumes::Counts counts_;
  Eigen::Vector3d spacing_;
  double weight_ = 0;  ///< c
  std::vector<GridLandmark> pairs_;
  std::vector<double> response_;  ///< m of each pair
};

}  // namespace isolume::anatomy
