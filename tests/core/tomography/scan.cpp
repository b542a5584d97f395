#include "tests/core/tomography/scan.h"

#include <cmath>

#include <tbb/task_arena.h>

namespace isolume::tomography {

CircularScan small_scan(int views) {
  return {.columns = 64, .rows = 48, .views = views, .column_mm = 3.5, .row_mm = 3.5};
}

grid::Grid small_grid(std::array<int, 3> dimensions, double spacing_mm) {
  return grid::centred(Eigen::Vector3d::Zero(), dimensions, spacing_mm, grid::LengthUnit::millimetre);
}

double joseph_ray(const std::function<double(int, int, int)>& volume, const grid::Grid& grid,
                  const Geometry& geometry, const View& view, int u, int v) {
  const Eigen::Vector3d pixel = view.pixel(u, v);
  const bool is_cone = geometry.beam == Beam::cone;
  const Eigen::Vector3d from = is_cone ? view.source : pixel;
  const Eigen::Vector3d ray = is_cone ? Eigen::Vector3d(pixel - view.source) : view.source;
  const Eigen::Vector3d index = grid.index_at(from), along = grid.step.inverse() * ray;
  // The horizontal direction of the column decides.
  const int main = std::abs(along.y()) > std::abs(along.x()) ? 1 : 0, other = 1 - main;
  double sum = 0;
  for (int i = 0; i < grid.dimensions[static_cast<std::size_t>(main)]; ++i) {
    const Eigen::Vector3d at = index + (i - index[main]) / along[main] * along;
    for (int a = 0; a < grid.dimensions[static_cast<std::size_t>(other)]; ++a) {
      const double across = 1 - std::abs(at[other] - a);
      if (across <= 0) continue;
      for (int z = 0; z < grid.dimensions[2]; ++z) {
        const double up = 1 - std::abs(at.z() - z);
        if (up > 0) sum += across * up * (main == 0 ? volume(i, a, z) : volume(a, i, z));
      }
    }
  }
  return sum * ray.norm() / std::abs(along[main]);
}

void on_one_thread(const std::function<void()>& act) {
  tbb::task_arena one(1);
  one.execute(act);
}

}  // namespace isolume::tomography
