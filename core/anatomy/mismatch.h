#pragma once

#include <span>

#include "core/anatomy/parameters.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

using volumes::Counts;
using volumes::VectorField;
using Spacing = std::array<double, 3>;  ///< mm along x, y and z

/// How two images on one grid differ, and the force that makes the difference smaller.
///
/// Squares: the sum of (F - W)^2. Correlation: the sum of 1 - c^2, where c is the correlation of F and W in a Gaussian window
/// about each voxel (B. B. Avants et al., Med. Image Anal. 12, 26, 2008, with a Gaussian in place of the box); variances of a
/// thousandth of the fixed image's are added, so that noise alone is not alike.
class Mismatch {
 public:
  Mismatch(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters);

  /// `fixed` has to live as long as it is used.
  void set_fixed(std::span<const float> fixed);
  /// The sum over all voxels, and, unless null, minus half of its derivative by the warped image's values times the gradient
  /// of the warped image, per mm.
  double measure(std::span<const float> warped, VectorField* force);
  /// The sum over all voxels, and minus half of its derivative by the warped image's value at each voxel.
  double measure_weights(std::span<const float> warped, std::span<float> weights);
  /// The root mean square difference, or the mean of 1 - c^2, of a sum.
  double mean(double sum) const;

 private:
  /// Unless empty, `weights` may be mean_w_ itself.
  double measure_correlation(std::span<const float> warped, std::span<float> weights);
  void smooth(FieldValues& values) const;

  Counts counts_;
  Spacing spacing_;
  Metric metric_;
  double window_;
  std::span<const float> fixed_;
  double least_variance_ = 0;
  /// Means in windows: of the fixed image and its square, of the warped image, its square, and the product of both.
  FieldValues mean_f_, mean_ff_, mean_w_, mean_ww_, mean_fw_;
};

}  // namespace isolume::anatomy
