#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <Eigen/Core>

namespace isolume::lattice {

enum class LengthUnit { bohr, angstrom, millimetre };
/// Returns "bohr", "angstrom" or "mm".
std::string_view to_text(LengthUnit unit);
/// Factor and unit in which scenes show lengths: angstrom at atomic scale, otherwise the lattice's own unit.
double shown_per_unit(LengthUnit unit);
std::string_view shown_unit(LengthUnit unit);

/// A regular 3D lattice of points: `point(i, j, k) = origin + i*a + j*b + k*c`, lengths in its own unit.
struct Lattice {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  /// Columns are the steps a, b, c along the three axes.
  Eigen::Matrix3d step = Eigen::Matrix3d::Identity();
  std::array<int, 3> dimensions{0, 0, 0};
  LengthUnit unit = LengthUnit::bohr;

  /// Product of the dimensions; on overflow, the largest representable number.
  std::size_t point_count() const;
  Eigen::Vector3d point(double i, double j, double k) const;
  /// Fractional lattice indices of a position; inverse of `point`.
  Eigen::Vector3d index_of(const Eigen::Vector3d& place) const;
  /// Volume of one cell, in the cube of the unit.
  double cell_volume() const;
  /// True when a, b, c lie along +x, +y, +z, as the separable engines need.
  bool axis_aligned() const;

  bool operator==(const Lattice& other) const;
};

/// A lattice of cubic cells that covers the box, its points centred in it; at least two points per axis.
/// Throws Error for a spacing that is not positive or not finite.
Lattice cover_box(const Eigen::Vector3d& low, const Eigen::Vector3d& high, double spacing,
                  LengthUnit unit = LengthUnit::bohr);

/// A lattice of the given dimensions and cubic spacing, centred on a point.
Lattice centred(const Eigen::Vector3d& centre, std::array<int, 3> dimensions, double spacing,
                LengthUnit unit = LengthUnit::bohr);

/// A lattice over the same box with about `factor` times the spacing, for previews.
Lattice coarsened(const Lattice& fine, double factor);

}  // namespace isolume::lattice
