#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <Eigen/Core>
#include <Eigen/LU>

namespace isolume::grid {

enum class LengthUnit { bohr, angstrom, millimetre };
/// Returns "bohr", "angstrom" or "mm".
std::string_view to_text(LengthUnit unit);
/// Factor and unit in which scenes show lengths: angstrom at atomic scale, otherwise the grid's own unit.
double shown_per_unit(LengthUnit unit);
std::string_view shown_unit(LengthUnit unit);

/// What the coordinates of a grid refer to.
enum class Frame {
  own,     ///< the axes of the file or the calculation
  patient  ///< DICOM's: x to the left, y to the back, z to the head (LPS)
};

/// A regular grid of points, which may be sheared: `position(i, j, k) = origin + i*a + j*b + k*c`, lengths in its unit.
/// Images, maps and computed fields lie on such grids; the first index runs fastest in memory.
struct Grid {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  /// Columns are the steps a, b, c from a point to the next along the three axes.
  Eigen::Matrix3d step = Eigen::Matrix3d::Identity();
  std::array<int, 3> dimensions{0, 0, 0};  ///< number of points along each axis
  LengthUnit unit = LengthUnit::bohr;
  Frame frame = Frame::own;

  /// Product of the dimensions; on overflow, the largest representable number.
  std::size_t point_count() const;
  Eigen::Vector3d position(const Eigen::Vector3d& index) const { return origin + step * index; }
  Eigen::Vector3d position(double i, double j, double k) const { return position({i, j, k}); }
  /// The index, not rounded, of a position: the inverse of `position`.
  Eigen::Vector3d index_at(const Eigen::Vector3d& position) const {
    return step.inverse() * (position - origin);
  }

  /// Distances to the next point along each axis.
  Eigen::Vector3d spacing() const { return step.colwise().norm(); }
  double spacing(int axis) const { return step.col(axis).norm(); }
  /// Unit vectors along the axes, as columns.
  Eigen::Matrix3d directions() const { return step.colwise().normalized(); }
  Eigen::Vector3d direction(int axis) const { return step.col(axis).normalized(); }
  /// These keep the other of the two; spacings have to be positive.
  void set_spacing(const Eigen::Vector3d& spacing) { step = directions() * spacing.asDiagonal(); }
  void set_spacing(int axis, double spacing) { step.col(axis) = direction(axis) * spacing; }
  void set_directions(const Eigen::Matrix3d& unit_vectors) { step = unit_vectors * spacing().asDiagonal(); }
  void set_direction(int axis, const Eigen::Vector3d& unit_vector) {
    step.col(axis) = unit_vector * spacing(axis);
  }

  /// Volume of the parallelepiped between neighbouring points, in the cube of the unit: less than the product of the
  /// spacings if the axes are not orthogonal (a sheared map, a tilted gantry).
  double cell_volume() const;
  /// Whether the axes are orthogonal, to the precision of files.
  bool is_orthogonal() const;
  /// Whether a, b, c lie along +x, +y, +z, as the separable engines need.
  bool axis_aligned() const;

  bool operator==(const Grid& other) const = default;
};

/// A grid of cubic cells that covers the box, its points centred in it; at least two points per axis.
/// Throws Error for a spacing that is not positive or not finite.
Grid cover_box(const Eigen::Vector3d& low, const Eigen::Vector3d& high, double spacing,
               LengthUnit unit = LengthUnit::bohr);

/// A grid of the given dimensions and cubic spacing, centred on a point.
Grid centred(const Eigen::Vector3d& centre, std::array<int, 3> dimensions, double spacing,
             LengthUnit unit = LengthUnit::bohr);

/// A grid over the same box with about `factor` times the spacing, for previews.
Grid coarsened(const Grid& fine, double factor);

}  // namespace isolume::grid
