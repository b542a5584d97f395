#pragma once

#include <variant>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/lattice_planes.h"
#include "core/electrostatics/sources.h"
#include "core/electrostatics/stencil_mesh.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

/// Of sources that are repeated in all directions: particle_mesh_ewald.h.
struct EwaldWaves {
  Eigen::Matrix3d period;  ///< edges of the box as columns, angstrom
  double alpha;            ///< 1/angstrom
  double background;       ///< e/angstrom, everywhere: so that the mean over the box is 0
};

/// Of all sources: multilevel.h.
struct MultilevelLevels {
  double spacings;  ///< of the mesh that the cut-off has
};

/// What is left of a potential when pairs within a cut-off are summed: charges are spread over a mesh, whose values become a
/// potential, which is interpolated.
struct MeshSum {
  StencilMesh mesh;
  Sources sources;  ///< in the mesh's coordinates
  std::variant<EwaldWaves, MultilevelLevels> law;
  Eigen::Matrix3d to_mesh = Eigen::Matrix3d::Identity();  ///< makes those of places in angstrom
};

/// The potential at the mesh's points, in e/angstrom. On the threads of TBB's arena, with the same result on any number of
/// them. Throws Cancelled.
std::vector<double> values_on_mesh(const MeshSum& sum, const jobs::Progress& progress);

/// A lattice in the mesh's coordinates; its unit is to be taken as they are.
lattice::Lattice in_mesh_coordinates(const MeshSum& sum, const lattice::Lattice& lattice);

/// Adds `scale` times the potential at each point of a lattice. As values_on_mesh.
void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values,
                        const lattice::Lattice& lattice, double scale, float* to,
                        const jobs::Progress& progress);
/// The same, with the same bits, at the points of some planes; `to` has theirs alone.
void add_mesh_potential(const MeshSum& sum, const std::vector<double>& values,
                        const lattice::Lattice& lattice, const LatticePlanes& planes, double scale, float* to,
                        const jobs::Progress& progress);

/// At a place in angstrom, e/angstrom.
double mesh_potential_at(const MeshSum& sum, const std::vector<double>& values, const Eigen::Vector3d& place);

}  // namespace isolume::electrostatics
