#include "core/grid/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"

namespace isolume::grid {

std::string_view to_text(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::bohr:
      return "bohr";
    case LengthUnit::angstrom:
      return "angstrom";
    case LengthUnit::millimetre:
      return "mm";
  }
  return "";
}

double shown_per_unit(LengthUnit unit) {
  return unit == LengthUnit::bohr ? units::angstrom_per_bohr : 1;
}

std::string_view shown_unit(LengthUnit unit) {
  return unit == LengthUnit::millimetre ? "mm" : "Å";
}

std::size_t Grid::point_count() const {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t count = 1;
  for (const int n : dimensions) {
    const auto along = static_cast<std::size_t>(std::max(n, 0));
    if (along != 0 && count > most / along) return most;
    count *= along;
  }
  return count;
}

double Grid::cell_volume() const {
  return std::abs(step.determinant());
}

bool Grid::is_orthogonal() const {
  constexpr double tolerance = 1e-3;
  const Eigen::Matrix3d unit_vectors = directions();
  const Eigen::Matrix3d products = unit_vectors.transpose() * unit_vectors;
  return (products - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < tolerance;
}

bool Grid::axis_aligned() const {
  const Eigen::Vector3d diagonal = step.diagonal();
  const Eigen::Matrix3d rest = step - Eigen::Matrix3d(diagonal.asDiagonal());
  return diagonal.minCoeff() > 0 && rest.cwiseAbs().maxCoeff() == 0;
}

namespace {

void check_spacing(double spacing, LengthUnit unit) {
  if (!(spacing > 0) || !std::isfinite(spacing)) {
    throw Error(fmt::format("A grid spacing of {} {} is not possible. Give a positive number.", spacing,
                            to_text(unit)));
  }
}

}  // namespace

Grid cover_box(const Eigen::Vector3d& low, const Eigen::Vector3d& high, double spacing, LengthUnit unit) {
  check_spacing(spacing, unit);
  std::array<int, 3> dimensions{};
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::ceil((high[axis] - low[axis]) / spacing - 1e-9);
    if (!(cells < std::numeric_limits<int>::max() - 1)) {
      throw Error(
          fmt::format("A box of {0} {2} cannot be divided by a spacing of {1} {2}. Use a larger spacing.",
                      high[axis] - low[axis], spacing, to_text(unit)));
    }
    dimensions[axis] = std::max(1, static_cast<int>(cells)) + 1;
  }
  return centred((low + high) / 2, dimensions, spacing, unit);
}

Grid centred(const Eigen::Vector3d& centre, std::array<int, 3> dimensions, double spacing, LengthUnit unit) {
  check_spacing(spacing, unit);
  Grid made;
  made.dimensions = dimensions;
  made.unit = unit;
  made.step = Eigen::Matrix3d::Identity() * spacing;
  for (int axis = 0; axis < 3; ++axis) {
    made.origin[axis] = centre[axis] - spacing * (dimensions[axis] - 1) / 2.0;
  }
  return made;
}

Grid coarsened(const Grid& fine, double factor) {
  Grid coarse = fine;
  for (int axis = 0; axis < 3; ++axis) {
    const int cells = std::max(1, fine.dimensions[axis] - 1);
    const int coarse_cells = std::max(1, static_cast<int>(std::lround(cells / factor)));
    coarse.dimensions[axis] = coarse_cells + 1;
    coarse.step.col(axis) *= static_cast<double>(cells) / coarse_cells;
  }
  return coarse;
}

}  // namespace isolume::grid
