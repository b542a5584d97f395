#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace isolume::lattice {

struct Range {
  float low;
  float high;
};

/// The points corner + i * along + j * across, i < columns and j < rows, in the lattice's unit; their values
/// run by rising i, then j.
struct PlaneGrid {
  Eigen::Vector3d corner = Eigen::Vector3d::Zero();
  Eigen::Vector3d along = Eigen::Vector3d::UnitX();
  Eigen::Vector3d across = Eigen::Vector3d::UnitY();
  int columns = 0;
  int rows = 0;

  std::size_t size() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  bool operator==(const PlaneGrid&) const = default;
};

/// The values of a field in the memory of a device, `values[i + nx*(j + ny*k)]` as in ScalarField, and what
/// can be learnt of them without copying them all to the host: seen from rooms that know no devices. Calls
/// from any thread; all throw Error where the device does not answer any more.
class DeviceField {
 public:
  virtual ~DeviceField() = default;
  virtual std::size_t size() const = 0;
  /// All of them; `values` has room for size().
  virtual void to_host(std::span<float> values) const = 0;
  /// As the functions of scalar_field.h, which are what to call: they come here where that saves a copy.
  virtual Range value_range() const = 0;
  /// The finite |value| of the points on the lattice's faces, in any order.
  virtual std::vector<float> magnitudes_on_faces() const = 0;
  /// In each bin of magnitude_bins.h, the sum of |value|, or of value^2 where `squared`.
  virtual std::vector<double> weights_by_magnitude(bool squared) const = 0;
  struct Weights {
    double all = 0;
    double inside = 0;  ///< of the points with |value| >= the isovalue
  };
  /// Sums of |value|, or of value^2 where `squared`; the same bits every time.
  virtual Weights weights_inside(double isovalue, bool squared) const = 0;
  /// Values 0, stride, 2 * stride, ... of all.
  virtual std::vector<float> every(std::size_t stride) const = 0;
  virtual std::vector<float> sample(const PlaneGrid& plane) const = 0;
};

}  // namespace isolume::lattice
