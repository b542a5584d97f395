#pragma once

#include "core/electrostatics/stencil_mesh.h"

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
/// On the threads of TBB's arena, with the same result on any number of them. Throws Error for an error that is too small,
/// ResourceError, Cancelled.
MeshPotential multilevel_potential(const Sources& sources, const structures::Box& around,
                                   double cutoff_angstrom, double error, const jobs::Progress& progress);

}  // namespace isolume::electrostatics
