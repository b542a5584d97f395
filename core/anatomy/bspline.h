#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/anatomy/fluid.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/parameters.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// A grid of control points of cubic B-splines over the box of an image: tiles of equal size, with a control point at each
/// corner and one more all around. Point (i, j, k) is in the place of the corner (i - 1, j - 1, k - 1).
struct SplineGrid {
  Counts tiles{};
  Spacing tile_mm{};

  Counts counts() const { return {tiles[0] + 3, tiles[1] + 3, tiles[2] + 3}; }
  std::size_t count() const { return volumes::point_count(counts()); }
};
/// The grid of a level: at the last of `levels`, tiles of at most `spacing_mm`; each earlier level has half as many.
SplineGrid spline_grid(const Counts& voxels, const Spacing& voxel_mm, double spacing_mm, std::size_t levels,
                       std::size_t level);

/// Displacements in mm of control points: all along x (x fastest), then along y, then along z.
using SplineCoefficients = std::vector<double>;
/// The same displacement on the grid of half the tiles' size, exactly.
SplineCoefficients subdivided(const SplineCoefficients& coefficients, const SplineGrid& coarse);

/// Displacements of splines at the voxels of an image over the same box, and the adjoint.
class SplineExpansion {
 public:
  SplineExpansion(const SplineGrid& grid, const Counts& voxels, const Spacing& voxel_mm);

  /// The displacement in voxels.
  void expand(std::span<const double> coefficients, VectorField& displacement);
  /// Adds `factor` times the adjoint: sum over voxels x of weights(x) gradient(x) times the displacement in voxels that
  /// a coefficient makes at x. The same bits on any number of threads.
  void reduce(std::span<const float> weights, const VectorField& gradient, double factor,
              std::span<double> sums);

  /// The control points about an index, and their weights.
  struct Support {
    std::array<int, 3> first;
    std::array<std::array<double, 4>, 3> weights;
  };
  Support support_at(const Eigen::Vector3d& index) const;
  /// The displacement in voxels at an index.
  Eigen::Vector3d displacement_at(std::span<const double> coefficients, const Eigen::Vector3d& index) const;
  /// Adds the adjoint of displacement_at().
  void add_at(const Eigen::Vector3d& index, const Eigen::Vector3d& by, std::span<double> sums) const;

 private:
  template <class Point>
  void for_support(const Support& support, const Point& point) const;

  SplineGrid grid_;
  Counts voxels_;
  Spacing voxel_mm_;
  struct Axis {
    std::vector<int> first;                     ///< control point, for each voxel
    std::vector<std::array<float, 4>> weights;  ///< of four from there
  };
  std::array<Axis, 3> axes_;
  FieldValues lines_, planes_;  ///< expanded along x, and along x and y
};

/// The bending energy of splines: the integral over the box of the squares of all second derivatives of the displacement,
/// in mm, exact (D. Rueckert et al., IEEE Trans. Med. Imaging 18, 712, 1999).
class BendingEnergy {
 public:
  explicit BendingEnergy(const SplineGrid& grid);

  /// The energy; adds `factor` times its derivative by the coefficients, and returns `factor` times the energy.
  double add(std::span<const double> coefficients, double factor, std::span<double> gradient) const;

 private:
  /// Row i holds the integrals of the product of basis functions i and i - 3 to i + 3, or of their derivatives.
  using Band = std::vector<std::array<double, 7>>;
  static std::vector<double> applied(const Band& band, std::span<const double> values, const Counts& counts,
                                     std::size_t axis);

  SplineGrid grid_;
  std::array<std::array<Band, 3>, 3> bands_;  ///< for each axis: of values, first and second derivatives
};

/// What the splines of one level minimise, and its derivative: the sum of the mismatch, the bending energy and the part of
/// the landmarks. Images are of the level's grid.
class SplineFit {
 public:
  /// `finest`: the grid of the landmarks. `intensity`: as LevelImages::intensity.
  SplineFit(const SplineGrid& grid, const Counts& finest, const Counts& counts, const Spacing& spacing,
            const DeformationParameters& parameters, double intensity, const LandmarkTerm& landmarks);

  /// The values have to live as long as they are used.
  void set_images(std::span<const float> fixed, std::span<const float> moving,
                  std::span<const float> weights = {});
  double operator()(std::span<const double> coefficients, std::span<double> gradient);
  void expand(std::span<const double> coefficients) { expansion_.expand(coefficients, displacement_); }
  /// Mismatch::mean of the coefficients measured last.
  double mean() const { return mismatch_.mean(sum_); }
  const VectorField& displacement() const { return displacement_; }
  std::span<const float> warped() const { return warped_; }

 private:
  double add_pairs(std::span<const double> coefficients, std::span<double> gradient) const;

  SplineExpansion expansion_;
  BendingEnergy bending_;
  double bending_weight_;
  LandmarkForces pairs_;
  Mismatch mismatch_;
  VectorField displacement_, gradient_;
  FieldValues warped_, weights_;
  std::span<const float> moving_;
  double sum_ = 0;
};

/// Registers `moving` to `fixed` by splines: minimises the sum of the mismatch, the bending energy times
/// DeformationParameters::bending per voxel's volume, and the part of the landmarks, by the L-BFGS method from level to level. The result
/// is as register_images() gives it, and so are the errors. A spline may fold; see Registration::mended.
Registration register_by_splines(std::span<const float> fixed, std::span<const float> moving,
                                 const Counts& counts, const Spacing& spacing_mm,
                                 const DeformationParameters& parameters, const std::vector<Level>& levels,
                                 const OnIteration& on_iteration = {}, const jobs::Progress& progress = {},
                                 const LandmarkTerm& landmarks = {}, const Masks& masks = {});

}  // namespace isolume::anatomy
