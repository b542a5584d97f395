#pragma once

#include <cstdint>

#include "gpu/runtime/streams/stream_name.h"

/// Multigrid for the Poisson-Boltzmann equation on a GPU: see poisson_boltzmann_kernels.h.
namespace isolume::gpu::equation_kernels {

/// A level; all arrays have nx ny nz numbers in the order of electrostatics::Extents; fewer than 2^31.
struct LevelArrays {
  std::uint32_t nx, ny, nz;
  float *gx, *gy, *gz;  ///< links to the next point along each axis
  float *d, *z, *r;     ///< z and r are 0 on the faces
};

/// Solves the equations of the points of one colour (0: i + j + k is even) with the present values of their
/// neighbours, or 0.
void relax(const LevelArrays& level, int colour, bool neighbours_are_zero, const Stream& stream);
/// Solves a whole level by sweeps over both colours, and as many in the opposite order: in one block if it is
/// small.
void solve_coarsest(const LevelArrays& level, int sweeps, const Stream& stream);
/// coarse.r = the residual of the equations of the even points, gathered with the weights of trilinear
/// interpolation.
void restrict_residual(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);
/// coarse.r = fine.r, gathered.
void restrict_known(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);
/// z of the points of one colour: set to, or increased by, the interpolated value.
void prolong(const LevelArrays& coarse, int colour, bool add, const LevelArrays& fine, const Stream& stream);
/// Links and d of the coarse equation; or d alone.
void coarsen(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);
void coarsen_ions(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);

}  // namespace isolume::gpu::equation_kernels
