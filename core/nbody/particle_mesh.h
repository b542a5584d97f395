#pragma once

#include <cstddef>

#include "core/nbody/solver.h"

namespace isolume::nbody {

/// How gravity in a periodic box is divided between a mesh and pairs of near bodies.
struct MeshPlan {
  std::size_t side;  ///< cells
  double split;      ///< see split_force.h; a length
  double reach;      ///< pairs that are farther from each other act by the mesh alone
};
/// Two cells to the mean distance of bodies; fewer where softening is so large that it matters farther
/// away than the reach. Throws
/// Error where it is too large for any mesh.
MeshPlan mesh_plan(std::size_t bodies, double period, double softening);

/// Adds the smooth part of gravity in the box of options.period: masses go onto the mesh by cubic splines (PCS), the
/// potential and its gradient are taken in Fourier space, where what the splines blur is divided out, and come back by
/// the same splines (Hockney and Eastwood, Computer Simulation Using Particles (1981); Essmann et al., J. Chem. Phys.
/// 103, 8577 (1995)). As long as the splines are the same both ways, momentum is kept to rounding.
void add_mesh_forces(const Bodies& bodies, double period, const MeshPlan& plan, Forces& forces,
                     const jobs::Progress& progress);

/// Adds what softened gravity is more than its smooth part, of pairs within reach, nearest images. Returns how many
/// pairs that were.
std::uint64_t add_near_forces(const Bodies& bodies, double period, double softening, const MeshPlan& plan,
                              Forces& forces, const jobs::Progress& progress);

}  // namespace isolume::nbody
