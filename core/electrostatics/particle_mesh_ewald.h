#pragma once

#include "core/electrostatics/stencil_mesh.h"

namespace isolume::electrostatics {

/// What is left of the potential of sources that are repeated in all directions, in e/angstrom, when pairs within the
/// cut-off are summed by ewald_split's terms: smooth particle-mesh Ewald, Essmann et al., J. Chem. Phys. 103, 8577 (1995),
/// on a periodic mesh whose spacing and splines' order follow from the error. That is the root of the mean square, relative
/// to that of the potential. A charge that is left over is neutralised by an even background.
///
/// `period`: edges of the box as columns, in angstrom; any that span one. The mesh is in parts of the edges: a place has its
/// potential at period^-1 place. On the threads of TBB's arena, with the same result on any number
/// of them. Throws ResourceError, Cancelled.
MeshPotential ewald_mesh_potential(const Sources& sources, const Eigen::Matrix3d& period, double alpha,
                                   double error, const jobs::Progress& progress);

/// The sources and their images in all directions that are within `reach` of the box. Throws ResourceError.
Sources images_near(const Sources& sources, const Eigen::Matrix3d& period, const structures::Box& box,
                    double reach);

}  // namespace isolume::electrostatics
