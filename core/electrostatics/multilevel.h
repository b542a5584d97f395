#pragma once

#include <array>
#include <vector>

#include "core/electrostatics/convolution.h"
#include "core/electrostatics/mesh_sum.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Which errors multilevel summation can be asked for: below the first one, lattices would have to be too fine.
inline constexpr double least_multilevel_error = 1e-8;

/// What is left of the potential of all sources, in e/angstrom, when pairs within the cut-off are summed by multilevel_terms:
/// on a mesh around the sources and the box, where the potential will be read.
///
/// Charges are spread over the mesh, from there over meshes of 2, 4, 8... times its spacing; on each, those within 2, 4,
/// 8... cut-offs act by the difference of the smooth functions of two cut-offs, on the last by all that is left; potentials
/// are interpolated back from mesh to mesh. Skeel, Tezcan and Hardy, J. Comput. Chem. 23, 673 (2002); here with polynomials
/// through ten points along each axis. The spacing follows from the error: the root of the mean square, relative to
/// that of the potential of a gas of charges of both signs.
///
/// Throws Error for an error that is too small, ResourceError.
MeshSum multilevel_sum(const Sources& sources, const structures::Box& around, double cutoff_angstrom,
                       double error);

/// Of such a sum: values_on_mesh.
std::vector<double> multilevel_values(const MeshSum& sum, const jobs::Progress& progress);

/// Points of which a place on a mesh is made along an axis, and a point of the mesh of half the spacing.
inline constexpr int multilevel_stencil_points = 10;

/// One of the meshes. The finer one's first point lies on number multilevel_stencil_points / 2 - 1 of the next, and every
/// second one on the one after.
struct MultilevelLevel {
  std::array<int, 3> points;
  EvenKernel kernel;  ///< by which charges at its points act on others, in charges over its spacing
};
/// From the finest mesh on.
std::vector<MultilevelLevel> multilevel_levels(const std::array<int, 3>& finest, double spacings);

}  // namespace isolume::electrostatics
