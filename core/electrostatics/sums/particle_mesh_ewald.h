#pragma once

#include "core/electrostatics/sums/mesh_sum.h"

namespace isolume::electrostatics {

/// The long-range part of the potential of periodic sources, in e/angstrom, with the short-range part given by
/// ewald_split's terms within the cut-off: smooth particle-mesh Ewald, Essmann et al., J. Chem. Phys. 103, 8577
/// (1995), on a periodic mesh whose spacing and spline order follow from the error. That is the root mean square,
/// relative to that of the potential. A net charge is neutralised by a uniform background.
///
/// `period`: edges of the box as columns, in angstrom; any that span one. The mesh is in fractional coordinates: a
/// point has its potential at period^-1 point. Throws ResourceError.
MeshSum ewald_sum(const Sources& sources, const Eigen::Matrix3d& period, double alpha, double error);

/// values_on_mesh for this kind of sum.
std::vector<double> ewald_values(const MeshSum& sum, const jobs::Progress& progress);

/// Factors for waves of 0, 1, ... periods over this many points, which compensate the smoothing by splines in both
/// charge spreading and interpolation.
std::vector<double> spline_sharpening(std::size_t points, int order);

/// The sources and their periodic images within `reach` of the box. Throws ResourceError.
Sources images_near(const Sources& sources, const Eigen::Matrix3d& period, const structures::Box& box,
                    double reach);

}  // namespace isolume::electrostatics
