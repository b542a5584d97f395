#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/field_values.h"

namespace isolume::anatomy {

/// The mutual information of two images on one grid and its derivative by the values of one of them (D. Mattes et al., IEEE Trans.
/// Med. Imaging 22, 120, 2003): a joint histogram of 32 bins of the fixed image's values and, along the warped one's, of cubic
/// B-splines about each value, which makes it smooth. Bins span each image's range without a thousandth of its values at either
/// end; values outside count as the range's ends. Sums have a fixed order: the same bits on any number of threads.
class MutualInformation {
 public:
  /// `weights` of the voxels; empty: 1. Both have to live as long as they are used. The first image that is measured then sets
  /// the range of the warped values.
  void set_fixed(std::span<const float> fixed, std::span<const float> weights);
  /// The mutual information in nats. Unless empty, `slopes` gets its derivative by each value times the sum of all weights; it may be
  /// the warped image's memory.
  double measure(std::span<const float> warped, std::span<float> slopes);

 private:
  static constexpr int fixed_bins = 32, intervals = 32, moving_bins = intervals + 3;
  struct Place {
    int bin = 0;       ///< the first of four
    double after = 0;  ///< of the interval, 0 to 1
    bool is_inside = false;
  };
  Place place_of(float value) const;
  float weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }
  void count(std::span<const float> warped);

  std::span<const float> weights_;
  std::vector<std::uint8_t> bins_;  ///< of the fixed image's voxels
  float low_ = 0, high_ = 0;        ///< of warped values; both 0: not set
  std::vector<double> joint_;       ///< shares of all weights
};

}  // namespace isolume::anatomy
