#pragma once

#include <span>

#include "core/anatomy/mutual_information.h"
#include "core/anatomy/parameters.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

using volumes::Counts;
using volumes::VectorField;
using Spacing = std::array<double, 3>;  ///< mm along x, y and z

/// What the means of a mismatch need of the fixed image. `weights`: empty: 1.
struct FixedImageSums {
  double weights = 0;         ///< the sum of the weights, or the number of voxels
  double least_variance = 0;  ///< of the correlation alone: what is added to variances
};
FixedImageSums sums_of_fixed(std::span<const float> fixed, std::span<const float> weights, Metric metric);
/// The root mean square difference, the mean of 1 - c^2, or minus the mutual information, of a sum.
double mean_mismatch(Metric metric, double sum, double all_weights);
/// Windows that have less weight than this have no mean.
inline constexpr float least_window_weight = 1e-4F;

/// How two images on one grid differ, and the force that makes the difference smaller.
///
/// Squares: the sum of (F - W)^2. Correlation: the sum of 1 - c^2, where c is the correlation of F and W in a Gaussian window
/// about each voxel (B. B. Avants et al., Med. Image Anal. 12, 26, 2008, with a Gaussian in place of the box); variances of a
/// thousandth of the fixed image's are added, so that noise alone is not alike. Mutual information: minus MutualInformation times
/// the number of voxels.
class Mismatch {
 public:
  Mismatch(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters);

  /// Both have to live as long as they are used. `weights`: of each voxel in the sum and in means; empty: 1.
  void set_fixed(std::span<const float> fixed, std::span<const float> weights = {});
  /// The weighted sum over all voxels, and, unless null, minus half of its derivative by the warped image's values times the gradient
  /// of the warped image, per mm.
  double measure(std::span<const float> warped, VectorField* force);
  /// The weighted sum over all voxels, and minus half of its derivative by the warped image's value at each voxel.
  double measure_weights(std::span<const float> warped, std::span<float> weights);
  double mean(double sum) const { return mean_mismatch(metric_, sum, sums_.weights); }

 private:
  double measure_information(std::span<const float> warped, std::span<float> weights);
  /// Unless empty, `weights` may be mean_w_ itself.
  double measure_correlation(std::span<const float> warped, std::span<float> weights);
  void smooth(FieldValues& values) const;
  /// Makes weighted means in windows of values that are multiplied by their weights.
  void smooth_means(FieldValues& values) const;
  float weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }

  Counts counts_;
  Spacing spacing_;
  Metric metric_;
  double window_;
  std::span<const float> fixed_, weights_;
  FixedImageSums sums_;
  FieldValues mean_weight_;  ///< in the window; empty without weights
  MutualInformation information_;
  /// Means in windows: of the fixed image and its square, of the warped image, its square, and the product of both.
  FieldValues mean_f_, mean_ff_, mean_w_, mean_ww_, mean_fw_;
};

}  // namespace isolume::anatomy
