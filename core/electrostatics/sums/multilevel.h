#pragma once

#include <array>
#include <vector>

#include "core/electrostatics/sums/convolution.h"
#include "core/electrostatics/sums/mesh_sum.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Smallest supported error: below it, meshes would have to be too fine.
inline constexpr double least_multilevel_error = 1e-8;

/// The long-range part of the potential of all sources, in e/angstrom, with the short-range part given by
/// multilevel_terms: on a mesh around the sources and the box in which the potential will be evaluated.
///
/// Charges are spread over the mesh, and from there over meshes of 2, 4, 8... times its spacing; on each, charges
/// within 2, 4, 8... cut-offs act by the difference of the smooth functions of two cut-offs, on the last by the
/// remainder; potentials are interpolated back from mesh to mesh. Skeel, Tezcan and Hardy, J. Comput. Chem. 23, 673
/// (2002); here with ten-point polynomials along each axis. The spacing follows from the error: the root mean square,
/// relative to that of the potential of a gas of charges of both signs.
///
/// Throws Error for an error that is too small, ResourceError.
MeshSum multilevel_sum(const Sources& sources, const structures::Box& around, double cutoff_angstrom,
                       double error);

/// values_on_mesh for this kind of sum.
std::vector<double> multilevel_values(const MeshSum& sum, const jobs::Progress& progress);

/// Number of points along an axis from which a position on a mesh, or a point of the mesh of half the spacing, is
/// interpolated.
inline constexpr int multilevel_stencil_points = 10;

/// One of the meshes. The finer mesh's first point coincides with point multilevel_stencil_points / 2 - 1 of the
/// next, and every second one with the following.
struct MultilevelLevel {
  std::array<int, 3> points;
  EvenKernel kernel;  ///< interaction of charges at its points, in charge over its spacing
};
/// From the finest mesh on.
std::vector<MultilevelLevel> multilevel_levels(const std::array<int, 3>& finest, double spacings);

}  // namespace isolume::electrostatics
