#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/volumes/counts.h"

namespace isolume::volumes {

/// warped(x) = volume(x + u(x)), trilinear; outside, the nearest value inside. At least two points along x.
void warp(std::span<const float> volume, const VectorField& displacement, std::span<float> warped);

/// The same, and the derivative of the trilinear volume at x + u(x) by the index along each axis, which is 0 outside.
void warp(std::span<const float> volume, const VectorField& displacement, std::span<float> warped,
          VectorField& gradient);

/// The adjoint of warp(): sum over x of warp(a)(x) y(x) = sum over x of a(x) splat(y)(x). Sums are integers, whose order
/// does not matter: the same bits on any number of threads. Their unit is largest value * number of points / 2^62.
void splat(std::span<const float> values, const VectorField& displacement, std::span<float> sums);

/// An index of the volume that is looked up, for an index of the grid of the result.
struct IndexMap {
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();
};
/// result(x) = volume(map(x + u(x))), trilinear, on a grid of its own; `outside` farther than half a voxel out. Null
/// displacement: u = 0. Returns how many points of the result lie inside.
std::size_t resample(std::span<const float> volume, const Counts& volume_counts, const IndexMap& map,
                     const VectorField* displacement, const Counts& counts, float outside,
                     std::span<float> result);

/// The displacement of x + u(x), then of v: result(x) = v(x) + u(x + v(x)), so that warping by it is warping by u, then by
/// v.
VectorField composed(const VectorField& u, const VectorField& v);
/// The same of v times a factor for each axis, which gives steps of at most one voxel along each of them; faster.
void compose_step(const VectorField& u, const VectorField& v, const std::array<double, 3>& scale,
                  VectorField& result);

/// The inverse v of x + u(x), and the largest distance |v(x) + u(x + v(x))| in voxels that is left.
struct Inverse {
  VectorField field;
  double largest_residual = 0;
  std::size_t unsolved = 0;  ///< points with a residual above the tolerance
};
/// By Newton's method at each point, with shorter steps where it does not come nearer.
Inverse inverted(const VectorField& u, double tolerance = 1e-3, int most_iterations = 100,
                 const jobs::Progress& progress = {});

/// Determinants of the gradient of x + u(x), below 1 where the map contracts; 0 or below where it folds.
FieldValues jacobian_determinants(const VectorField& u);
struct JacobianRange {
  float least = 0;
  std::size_t folded = 0;  ///< points where it is not above 0
};
JacobianRange jacobian_range(const VectorField& u);
/// Smooths the displacement about points where it folds, and nowhere else, until it folds nowhere or `most_passes` have
/// been made. Returns how many points folded at first.
std::size_t unfold(VectorField& u, int most_passes = 100);

/// The largest length of the vectors, their components times these factors.
double largest_length(const VectorField& field, const std::array<double, 3>& factors = {1, 1, 1});

/// -(warped - fixed) times the gradient of `warped`, whose spacing may differ by axis; returns the sum of
/// (warped - fixed)^2, in an order that does not depend on threads.
double mismatch_force(std::span<const float> warped, std::span<const float> fixed,
                      const std::array<double, 3>& spacing, VectorField& force);

/// The gradient of `values` times a weight at each point.
void weighted_gradient(std::span<const float> values, std::span<const float> weights,
                       const std::array<double, 3>& spacing, VectorField& result);

}  // namespace isolume::volumes
