#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/field_values.h"

/// The inner loops of features and costs: rows of a slice, compiled for each instruction set of Highway and selected
/// at run time. The results are the same on all of them, so that a wire does not depend on the processor: nothing is
/// summed across lanes, and products are rounded before they are added.
namespace isolume::livewire::rows {

/// Rows with `margin` values on either side, and padding for a vector that begins in the row.
class Buffer {
 public:
  Buffer(int count, int width, int margin)
      : margin_(static_cast<std::size_t>(margin)),
        stride_(static_cast<std::size_t>(width) + 2 * margin_ + greatest_lanes),
        values_(static_cast<std::size_t>(count) * stride_) {}
  float* operator[](int row) { return values_.data() + static_cast<std::size_t>(row) * stride_ + margin_; }

 private:
  static constexpr std::size_t greatest_lanes = 16;
  std::size_t margin_, stride_;
  FieldValues values_;
};

/// Filters given by their weights at the offsets 0 to the radius; `smooth` and `curvature` are even, `slope` is odd.
struct Kernels {
  std::vector<float> smooth, slope, curvature;
  int radius() const { return static_cast<int>(smooth.size()) - 1; }
};
struct Filtered {
  float *smooth, *slope, *curvature;
};
/// Filters across the 2 radius + 1 rows, of which the first is the uppermost.
void filter_down(const Kernels& kernels, const float* const* image, int width, Filtered to);
/// Filters the result of filter_down, with margins of the radius, along the row.
void filter_along(const Kernels& kernels, Filtered from, int width, float* slope_x, float* slope_y,
                  float* laplacian);
void magnitudes(const float* x, const float* y, int width, float* to);

/// Weights are in grid units, and so are costs.
struct PixelCosts {
  float gradient_weight = 0;
  float zero_crossing_weight = 0, full_gradient = 0, least_change = 0;
};
/// Cost of entering a pixel, from any side. `scale`: the gradients that count as 1. `laplacian`: the rows above, here
/// and below, with margins of 1.
void pixel_costs(const PixelCosts& costs, const float* gradient, const float* scale,
                 std::array<const float*, 3> laplacian, int width, float* to);

/// The angle between the edge (perpendicular to the gradient) and each axis, 0 to pi, minus pi / 2, times `weight`; 0
/// where there is no gradient.
struct Turns {
  float height_by_width = 1;  ///< of a pixel: angles are in physical space
  float weight = 0;
  std::span<const float> axes;  ///< 0 to pi
};
void turns(const Turns& turns, const float* gradient_x, const float* gradient_y, int width, float* const* to);

struct Bounds {
  std::uint32_t least = 0xffff, greatest = 0;
};
/// Arcs that leave the pixels of a row, or of a part of one. The rows are those above, here and below, with margins
/// of 1.
struct Arcs {
  int width = 0, directions = 8;
  std::array<std::uint32_t, 8> length{};
  float turn_weight = 0;
  std::array<const float*, 3> pixel_costs{};
  std::array<std::array<const float*, 3>, 4> turns{};
  std::array<const float*, 8> more{};  ///< additional costs of the arcs by direction; may be null
};
/// Writes `directions` 16-bit numbers per pixel, two to a word, the first in its lower half; `to` must have room for
/// 64 words more. Extends the bounds by them.
void arc_costs(const Arcs& arcs, std::uint32_t* to, Bounds& bounds);

}  // namespace isolume::livewire::rows
