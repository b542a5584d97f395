#pragma once

#include "core/electrostatics/mesh_sum.h"

namespace isolume::electrostatics {

/// What is left of the potential of sources that are repeated in all directions, in e/angstrom, when pairs within the
/// cut-off are summed by ewald_split's terms: smooth particle-mesh Ewald, Essmann et al., J. Chem. Phys. 103, 8577 (1995),
/// on a periodic mesh whose spacing and splines' order follow from the error. That is the root of the mean square, relative
/// to that of the potential. A charge that is left over is neutralised by an even background.
///
/// `period`: edges of the box as columns, in angstrom; any that span one. The mesh is in parts of the edges: a place has its
/// potential at period^-1 place. Throws ResourceError.
MeshSum ewald_sum(const Sources& sources, const Eigen::Matrix3d& period, double alpha, double error);

/// Of such a sum: values_on_mesh.
std::vector<double> ewald_values(const MeshSum& sum, const jobs::Progress& progress);

/// By which waves of 0, 1, ... turns over so many points are multiplied, to make up for what splines make of them twice: when
/// charges are spread and when the potential is read.
std::vector<double> spline_sharpening(std::size_t points, int order);

/// The sources and their images in all directions that are within `reach` of the box. Throws ResourceError.
Sources images_near(const Sources& sources, const Eigen::Matrix3d& period, const structures::Box& box,
                    double reach);

}  // namespace isolume::electrostatics
