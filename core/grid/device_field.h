#pragma once

#include <cstddef>
#include <vector>

#include "core/base/lazy_numbers.h"
#include "core/grid/plane_grid.h"

namespace isolume::grid {

struct Range {
  float low;
  float high;
};

/// The values of a field in the memory of a device, `values[i + nx*(j + ny*k)]` as in Field, and the
/// reductions that need no full copy to the host. All throw Error if the device no longer responds.
class DeviceField : public DeviceNumbers<float> {
 public:
  /// The same as the functions of scalar_field.h. Call those: they use these where that saves a copy.
  virtual Range value_range() const = 0;
  /// The finite |value| of the points on the grid's faces, in any order.
  virtual std::vector<float> magnitudes_on_faces() const = 0;
  /// For each bin of magnitude_bins.h, the sum of |value|, or of value^2 where `squared`.
  virtual std::vector<double> weights_by_magnitude(bool squared) const = 0;
  struct Weights {
    double all = 0;
    double inside = 0;  ///< of the points with |value| >= the isovalue
  };
  /// Sums of |value|, or of value^2 where `squared`; bit-identical every time.
  virtual Weights weights_inside(double isovalue, bool squared) const = 0;
  /// The values number 0, stride, 2 * stride, ...
  virtual std::vector<float> every(std::size_t stride) const = 0;
  virtual std::vector<float> sample(const PlaneGrid& plane) const = 0;
};

}  // namespace isolume::grid
