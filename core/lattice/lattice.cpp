#include "core/lattice/lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::lattice {

std::size_t Lattice::point_count() const {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t count = 1;
  for (const int n : dimensions) {
    const auto along = static_cast<std::size_t>(std::max(n, 0));
    if (along != 0 && count > most / along) return most;
    count *= along;
  }
  return count;
}

Eigen::Vector3d Lattice::point(double i, double j, double k) const {
  return origin_bohr + step_bohr * Eigen::Vector3d(i, j, k);
}

Eigen::Vector3d Lattice::index_of(const Eigen::Vector3d& place_bohr) const {
  return step_bohr.inverse() * (place_bohr - origin_bohr);
}

double Lattice::cell_volume() const {
  return std::abs(step_bohr.determinant());
}

bool Lattice::axis_aligned() const {
  const Eigen::Vector3d diagonal = step_bohr.diagonal();
  const Eigen::Matrix3d rest = step_bohr - Eigen::Matrix3d(diagonal.asDiagonal());
  return diagonal.minCoeff() > 0 && rest.cwiseAbs().maxCoeff() == 0;
}

bool Lattice::operator==(const Lattice& other) const {
  return dimensions == other.dimensions && origin_bohr == other.origin_bohr && step_bohr == other.step_bohr;
}

namespace {

void check_spacing(double spacing_bohr) {
  if (!(spacing_bohr > 0) || !std::isfinite(spacing_bohr)) {
    throw Error(
        fmt::format("A lattice spacing of {} bohr is not possible. Give a positive number.", spacing_bohr));
  }
}

}  // namespace

Lattice cover_box(const Eigen::Vector3d& low_bohr, const Eigen::Vector3d& high_bohr, double spacing_bohr) {
  check_spacing(spacing_bohr);
  std::array<int, 3> dimensions{};
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::ceil((high_bohr[axis] - low_bohr[axis]) / spacing_bohr - 1e-9);
    if (!(cells < std::numeric_limits<int>::max() - 1)) {
      throw Error(
          fmt::format("A box of {} bohr cannot be divided by a spacing of {} bohr. Use a larger spacing.",
                      high_bohr[axis] - low_bohr[axis], spacing_bohr));
    }
    dimensions[axis] = std::max(1, static_cast<int>(cells)) + 1;
  }
  return centred((low_bohr + high_bohr) / 2, dimensions, spacing_bohr);
}

Lattice centred(const Eigen::Vector3d& centre_bohr, std::array<int, 3> dimensions, double spacing_bohr) {
  check_spacing(spacing_bohr);
  Lattice made;
  made.dimensions = dimensions;
  made.step_bohr = Eigen::Matrix3d::Identity() * spacing_bohr;
  for (int axis = 0; axis < 3; ++axis) {
    made.origin_bohr[axis] = centre_bohr[axis] - spacing_bohr * (dimensions[axis] - 1) / 2.0;
  }
  return made;
}

Lattice coarsened(const Lattice& fine, double factor) {
  Lattice coarse = fine;
  for (int axis = 0; axis < 3; ++axis) {
    const int cells = std::max(1, fine.dimensions[axis] - 1);
    const int coarse_cells = std::max(1, static_cast<int>(std::lround(cells / factor)));
    coarse.dimensions[axis] = coarse_cells + 1;
    coarse.step_bohr.col(axis) *= static_cast<double>(cells) / coarse_cells;
  }
  return coarse;
}

}  // namespace isolume::lattice
