#pragma once

#include <array>
#include <cstddef>

#include "core/base/field_values.h"

namespace isolume::electrostatics {

/// The dimensions of a grid along x, y and z, and the layout of its arrays. Rows run along x; in a row, points
/// with even i come first, then those with odd i. Points of one colour in red-black ordering are thus adjacent in
/// memory, as relaxation of one colour after the other needs them.
struct Extents {
  int nx = 0, ny = 0, nz = 0;

  /// Number of points with even i in a row.
  int half() const { return (nx + 1) / 2; }
  std::size_t plane() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  std::size_t count() const { return plane() * static_cast<std::size_t>(nz); }
  std::size_t row(int j, int k) const {
    return static_cast<std::size_t>(nx) *
           (static_cast<std::size_t>(j) + static_cast<std::size_t>(ny) * static_cast<std::size_t>(k));
  }
  std::size_t at(int i, int j, int k) const {
    return row(j, k) + static_cast<std::size_t>((i & 1) != 0 ? half() + i / 2 : i / 2);
  }
  bool on_face(int i, int j, int k) const {
    return i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1;
  }
  /// With every second point along each axis; the number of intervals must be even.
  Extents halved() const { return {nx / 2 + 1, ny / 2 + 1, nz / 2 + 1}; }
};

/// Beyond this, sinh is continued linearly: no solution has concentrations of e^30 times the solvent's.
inline constexpr double most_potential_of_ions = 30;

/// The equation on one grid of a multigrid hierarchy, for the points in its interior:
///   sum over the six neighbours n of g_n (z - z_n) + d z = r
/// gx, gy and gz belong to the link from a point to the next one along the axis; all arrays are laid out by
/// `extents`. On the faces, z and r are 0.
struct Level {
  static constexpr std::size_t bytes_a_point = 6 * sizeof(float);
  Extents extents;
  FieldValues gx, gy, gz, d, z, r;

  explicit Level(const Extents& of)
      : extents(of),
        gx(of.count()),
        gy(of.count()),
        gz(of.count()),
        d(of.count()),
        z(of.count()),
        r(of.count()) {}
};

}  // namespace isolume::electrostatics
