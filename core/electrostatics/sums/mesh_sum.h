#pragma once

#include <variant>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/sums/grid_planes.h"
#include "core/electrostatics/sums/sources.h"
#include "core/electrostatics/sums/stencil_mesh.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// For periodic sources: particle_mesh_ewald.h.
struct EwaldWaves {
  Eigen::Matrix3d period;  ///< edges of the box as columns, angstrom
  double alpha;            ///< 1/angstrom
  double background;       ///< e/angstrom, constant: makes the mean over the box 0
};

/// For isolated sources: multilevel.h.
struct MultilevelLevels {
  double spacings;  ///< mesh spacings per cut-off
};

/// The long-range part of a potential whose short-range part is summed over pairs within a cut-off: charges are
/// spread over a mesh, the mesh is convolved to give a potential, and this is interpolated.
struct MeshSum {
  StencilMesh mesh;
  Sources sources;  ///< in mesh coordinates
  std::variant<EwaldWaves, MultilevelLevels> law;
  Eigen::Matrix3d to_mesh =
      Eigen::Matrix3d::Identity();  ///< transforms positions in angstrom to mesh coordinates
};

/// The potential at the mesh points, in e/angstrom. Runs on the threads of TBB's arena; the result does not depend on
/// their number. Throws Cancelled.
std::vector<double> values_on_mesh(const MeshSum& sum, const jobs::Progress& progress);

/// A grid in mesh coordinates; its unit is to be ignored.
grid::Grid in_mesh_coordinates(const MeshSum& sum, const grid::Grid& grid);

/// Adds `scale` times the potential at each point of a grid. Otherwise like values_on_mesh.
void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values, const grid::Grid& grid,
                        double scale, float* to, const jobs::Progress& progress);
/// The same, bit for bit, at the points of some planes; `to` holds only these.
void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values, const grid::Grid& grid,
                        const GridPlanes& planes, double scale, float* to, const jobs::Progress& progress);

/// At a point in angstrom, e/angstrom.
double mesh_potential_at(const MeshSum& sum, const std::vector<double>& values, const Eigen::Vector3d& place);

}  // namespace isolume::electrostatics
