#include "core/electrostatics/sums/mesh_sum.h"

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/sums/multilevel.h"
#include "core/electrostatics/sums/particle_mesh_ewald.h"

namespace isolume::electrostatics {

std::vector<double> values_on_mesh(const MeshSum& sum, const jobs::Progress& progress) {
  return std::holds_alternative<EwaldWaves>(sum.law) ? ewald_values(sum, progress)
                                                     : multilevel_values(sum, progress);
}

grid::Grid in_mesh_coordinates(const MeshSum& sum, const grid::Grid& grid) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  grid::Grid on_mesh = grid;
  on_mesh.origin = sum.to_mesh * grid.origin * angstrom;
  on_mesh.step = sum.to_mesh * grid.step * angstrom;
  on_mesh.unit = grid::LengthUnit::angstrom;
  return on_mesh;
}

void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values, const grid::Grid& grid,
                        double scale, float* to, const jobs::Progress& progress) {
  add_mesh_potential(sum, values, grid, all_planes(grid), scale, to, progress);
}

void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values, const grid::Grid& grid,
                        const GridPlanes& planes, double scale, float* to, const jobs::Progress& progress) {
  const auto on_mesh = in_mesh_coordinates(sum, grid);
  if (on_mesh.axis_aligned()) return sum.mesh.add_interpolated(values, on_mesh, planes, scale, to, progress);
  const auto& n = grid.dimensions;
  handover::parallel_for(tbb::blocked_range<int>(0, n[2], 1), [&](const tbb::blocked_range<int>& range) {
    for (int k = range.begin(); k != range.end(); ++k) {
      for (int j = 0; j < n[1]; ++j) {
        progress.check();
        float* row = to + static_cast<std::size_t>(planes.count()) *
                              (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * k);
        for (int i = 0; i < planes.count(); ++i) {
          const auto place = on_mesh.position(planes.first + i, j, k);
          row[i] += static_cast<float>(scale * sum.mesh.interpolate(values, place));
        }
      }
    }
  });
}

double mesh_potential_at(const MeshSum& sum, const std::vector<double>& values,
                         const Eigen::Vector3d& place) {
  return sum.mesh.interpolate(values, sum.to_mesh * place);
}

}  // namespace isolume::electrostatics
