#include "core/electrostatics/mesh_sum.h"

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/multilevel.h"
#include "core/electrostatics/particle_mesh_ewald.h"

namespace isolume::electrostatics {

std::vector<double> values_on_mesh(const MeshSum& sum, const jobs::Progress& progress) {
  return std::holds_alternative<EwaldWaves>(sum.law) ? ewald_values(sum, progress)
                                                     : multilevel_values(sum, progress);
}

lattice::Lattice in_mesh_coordinates(const MeshSum& sum, const lattice::Lattice& lattice) {
  const double angstrom = lattice::shown_per_unit(lattice.unit);
  lattice::Lattice on_mesh = lattice;
  on_mesh.origin = sum.to_mesh * lattice.origin * angstrom;
  on_mesh.step = sum.to_mesh * lattice.step * angstrom;
  on_mesh.unit = lattice::LengthUnit::angstrom;
  return on_mesh;
}

void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values,
                        const lattice::Lattice& lattice, double scale, float* to,
                        const jobs::Progress& progress) {
  add_mesh_potential(sum, values, lattice, all_planes(lattice), scale, to, progress);
}

void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values,
                        const lattice::Lattice& lattice, const LatticePlanes& planes, double scale, float* to,
                        const jobs::Progress& progress) {
  const auto on_mesh = in_mesh_coordinates(sum, lattice);
  if (on_mesh.axis_aligned()) return sum.mesh.add_interpolated(values, on_mesh, planes, scale, to, progress);
  const auto& n = lattice.dimensions;
  handover::parallel_for(tbb::blocked_range<int>(0, n[2], 1), [&](const tbb::blocked_range<int>& range) {
    for (int k = range.begin(); k != range.end(); ++k) {
      for (int j = 0; j < n[1]; ++j) {
        progress.check();
        float* row = to + static_cast<std::size_t>(planes.count()) *
                              (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * k);
        for (int i = 0; i < planes.count(); ++i) {
          const auto place = on_mesh.point(planes.first + i, j, k);
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
