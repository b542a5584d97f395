#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/field_values.h"
#include "core/grid/grid.h"

namespace isolume::regions {

/// A label of a voxel: 0 is none, others count from 1.
using Label = std::uint8_t;
constexpr int most_labels = 254;

/// An image with seeds: voxels whose labels are known. Values and seeds are ordered as the grid.
struct SeededImage {
  grid::Grid grid;
  std::span<const float> values;
  std::span<const Label> seeds;  ///< 0: not a seed

  int label_count() const;  ///< the largest label among the seeds
};

/// Throws Error if there are values that are not finite.
void require_finite(std::span<const float> values);
/// Throws Error if values are not finite, if numbers of voxels differ, if there are no seeds, or if fewer than `labels`
/// labels have seeds.
void require_seeds(const SeededImage& image, int labels);

/// Weights of links between neighbouring voxels: exp(-(difference of values)^2 / (2 sigma^2)) times the least spacing
/// divided by that along the axis, so at most 1.
class LinkWeights {
 public:
  /// sigma is `edge` times the root mean square difference of neighbours.
  LinkWeights(const grid::Grid& grid, std::span<const float> values, double edge);
  double sigma() const { return sigma_; }  ///< in the unit of the values; 0: all values are the same
  float operator()(float a, float b, std::size_t axis) const {
    const float difference = a - b;
    return factors_[axis] * exponential(exponent_ * difference * difference);
  }

 private:
  /// exp(x) for x <= 0, to 2e-7 of 1; compilers make vectors of it.
  static float exponential(float x) {
    const float power = std::max(x * 1.44269504F, -126.F);  // of 2
    const auto whole = static_cast<std::int32_t>(power);
    const float y = 0.69314718F * (power - static_cast<float>(whole));  // -ln 2 to 0
    const float series =
        1 + y * (1 + y * (1 / 2.F +
                          y * (1 / 6.F + y * (1 / 24.F + y * (1 / 120.F + y * (1 / 720.F + y / 5040.F))))));
    return series * std::bit_cast<float>((whole + 127) << 23);
  }

  double sigma_ = 0;
  float exponent_ = 0;
  std::array<float, 3> factors_{};
};

}  // namespace isolume::regions
