#include "core/nbody/cell_moments.h"

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;
constexpr std::size_t seconds = 6, thirds = 10;

/// sum m d_a d_b and sum m d_a d_b d_c, in the order of CellMoments.
struct Sums {
  std::array<double, seconds> second = {};
  std::array<double, thirds> third = {};
};

std::array<double, seconds> squares(const Vector3d& d) {
  return {d.x() * d.x(), d.x() * d.y(), d.x() * d.z(), d.y() * d.y(), d.y() * d.z(), d.z() * d.z()};
}

void add_point(double mass, const Vector3d& d, Sums& sums) {
  const auto two = squares(d);
  const double x = mass * d.x(), y = mass * d.y(), z = mass * d.z();
  for (std::size_t i = 0; i < seconds; ++i) sums.second[i] += mass * two[i];
  for (std::size_t i = 0; i < seconds; ++i) sums.third[i] += x * two[i];
  for (std::size_t i = 3; i < seconds; ++i) sums.third[i + 3] += y * two[i];
  sums.third[9] += z * two[5];
}

/// A part about its own centre of mass, which is at `d` from the whole's.
void add_part(double mass, const Vector3d& d, const Sums& part, Sums& sums) {
  add_point(mass, d, sums);
  const auto& [xx, xy, xz, yy, yz, zz] = part.second;
  const double x = d.x(), y = d.y(), z = d.z();
  const std::array<double, thirds> mixed = {
      3 * x * xx,          2 * x * xy + y * xx,      2 * x * xz + z * xx,
      2 * y * xy + x * yy, x * yz + y * xz + z * xy, 2 * z * xz + x * zz,
      3 * y * yy,          2 * y * yz + z * yy,      2 * z * yz + y * zz,
      3 * z * zz};
  for (std::size_t i = 0; i < seconds; ++i) sums.second[i] += part.second[i];
  for (std::size_t i = 0; i < thirds; ++i) sums.third[i] += part.third[i] + mixed[i];
}

CellMoments scaled(const Sums& sums, double radius) {
  if (radius == 0) return {};
  static constexpr std::array<double, CellMoments::count> factors = {
      0.5,      1,    1,    0.5,  1,  0.5,  // 1 / b!
      -1.0 / 6, -0.5, -0.5, -0.5, -1, -0.5, -1.0 / 6, -0.5, -0.5, -1.0 / 6};
  CellMoments moments;
  for (std::size_t i = 0; i < CellMoments::count; ++i) {
    const double sum = i < seconds ? sums.second[i] : sums.third[i - seconds] / radius;
    moments.values[i] = static_cast<float>(factors[i] * (sum / radius / radius));
  }
  return moments;
}

}  // namespace

Paged<CellMoments> cell_moments(const Octree& tree) {
  Paged<Sums> sums(tree.cells.size());
  handover::parallel_for(Range(0, sums.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Cell& cell = tree.cells[i];
      if (!cell.leaf) continue;
      for (std::uint32_t body = cell.begin; body < cell.end; ++body) {
        add_point(tree.bodies.mass(body), tree.bodies.place(body) - cell.centre_of_mass, sums[i]);
      }
    }
  });
  for (std::size_t i = sums.size(); i-- > 0;) {
    const Cell& cell = tree.cells[i];
    if (cell.leaf) continue;
    for (std::size_t part = i + 1; part < cell.next; part = tree.cells[part].next) {
      add_part(tree.cells[part].mass, tree.cells[part].centre_of_mass - cell.centre_of_mass, sums[part],
               sums[i]);
    }
  }
  Paged<CellMoments> moments(sums.size());
  handover::parallel_for(Range(0, sums.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      moments[i] = scaled(sums[i], tree.cells[i].radius);
    }
  });
  return moments;
}

}  // namespace isolume::nbody
