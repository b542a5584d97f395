#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/field_values.h"

namespace isolume::anatomy {

/// Classes of an image's values, in the order of their means, and how probable each is at every voxel.
struct Classes {
  std::vector<double> means, deviations, weights;  ///< of the Gaussians; the weights' sum is 1
  std::vector<FieldValues> posteriors;             ///< of each class: 0 to 1; their sum is 1
};

/// A mixture of Gaussians fitted to the histogram of the values by expectation maximisation (A. P. Dempster et al., J. R. Stat. Soc. B
/// 39, 1, 1977), from means of the least squares. Deviations are at least 1/200 of the range. Throws Error for fewer than 2 classes,
/// values that are constant or not finite.
Classes classify(std::span<const float> values, int count);

/// For each class of the first image, that of the second one which belongs to it: of all ways to join them, that with the greatest
/// common volume. Both are on one grid, and have the same number of classes, at most 6.
std::vector<std::size_t> joined_classes(const Classes& first, const Classes& second);

/// Probabilities of classes of both images on one grid, in the same order.
struct ClassPair {
  std::vector<FieldValues> fixed, moving;

  bool empty() const { return fixed.empty(); }
};
/// Classes of both images, joined. Throws as classify().
ClassPair class_pair(std::span<const float> fixed, std::span<const float> moving, int count);

}  // namespace isolume::anatomy
