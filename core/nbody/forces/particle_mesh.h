#pragma once

#include <cstddef>

#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Division of gravity in a periodic box between a mesh and near pairs.
struct MeshPlan {
  std::size_t side;  ///< cells per side
  double split;      ///< length; see split_force.h
  double reach;      ///< pairs at larger distances act only through the mesh
};
/// Chooses two cells per mean distance of bodies; fewer where the softening is so large that it matters beyond the
/// reach. Throws Error where it is too large for any mesh.
MeshPlan mesh_plan(std::size_t bodies, double period, double softening);

/// Adds the smooth part of gravity in the box of options.period: masses are assigned to the mesh by cubic splines
/// (PCS), the potential and its gradient are computed in Fourier space, where the smoothing by the splines is divided
/// out, and interpolated by the same splines (Hockney and Eastwood, Computer Simulation Using Particles (1981);
/// Essmann et al., J. Chem. Phys. 103, 8577 (1995)). Because assignment and interpolation use the same splines,
/// momentum is conserved to rounding.
void add_mesh_forces(const Bodies& bodies, double period, const MeshPlan& plan, Forces& forces,
                     const jobs::Progress& progress);

/// Adds the difference between softened gravity and its smooth part for pairs within reach, nearest images. Returns
/// the number of such pairs.
std::uint64_t add_near_forces(const Bodies& bodies, double period, double softening, const MeshPlan& plan,
                              Forces& forces, const jobs::Progress& progress);

}  // namespace isolume::nbody
