#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/stream_name.h"

/// The work of the Poisson-Boltzmann equation's solver on a GPU: multigrid, conjugate gradients and residuals, point for
/// point what the CPU does (core/electrostatics/poisson_boltzmann: stencil.h, grid_transfer.h), with arrays laid out alike:
/// points of one colour of a row are next to each other, so that a warp that relaxes one colour reads whole lines.
///
/// Bounds: all of it moves data. A cycle from zero moves, of each point of the finest level, 18 bytes to relax the red
/// points, whose neighbours are 0, and 20 for each of the three other half sweeps (12 of links; 4 of d and r, 2 and 2 of z, of
/// half of the points each), 20.5 to restrict what is left, 4.5 to interpolate: 103, or 118 with the coarser levels. A step
/// of conjugate gradients moves 76 besides (z r: 8, p: 12, A p: 24, u and r: 32), a residual in double precision 28. These
/// 194 bytes go with about 140 operations, which is 1.4 to the byte, a tenth of what a GPU could do in that time. 97^3 points
/// take 37 us a cycle of a memory of 4.8e12 bytes/s, and less where they stay in its cache; kernels of the coarse
/// levels take some 2 us each to begin, 45 in a cycle, which are queued as one graph.
namespace isolume::gpu::equation_kernels {

/// A level, all arrays of nx ny nz numbers as electrostatics::Extents has them; fewer than 2^31.
struct LevelArrays {
  std::uint32_t nx, ny, nz;
  float *gx, *gy, *gz;  ///< links to the next point along each axis
  float *d, *z, *r;     ///< z and r are 0 on the faces
};

/// A charge at a point inside of the faces.
struct PointCharge {
  std::uint32_t at;
  double value;
};

/// Partial sums of a kernel, of which `add_up` makes `sums` sums.
inline constexpr unsigned most_parts = 1024;
inline constexpr int most_sums = 2;
inline constexpr std::size_t sums_size = most_parts * most_sums;
void add_up(const double* parts, int sums, double* out, const Stream& stream);

/// Solves the equations of the points of one colour (0: i + j + k is even) with their neighbours as they are, or as 0.
void relax(const LevelArrays& level, int colour, bool neighbours_are_zero, const Stream& stream);
/// All of a level by sweeps over both colours, and as many in the opposite order: in one block where it is small.
void solve_coarsest(const LevelArrays& level, int sweeps, const Stream& stream);
/// coarse.r = what is left of the equations of the even points, gathered with the weights of trilinear interpolation.
void restrict_residual(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);
/// coarse.r = fine.r, gathered.
void restrict_known(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);
/// z of the points of one colour: = or += what is interpolated.
void prolong(const LevelArrays& coarse, int colour, bool add, const LevelArrays& fine, const Stream& stream);
/// Links and d of the coarse equation; or d alone.
void coarsen(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);
void coarsen_ions(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream);

/// r = what is left of the equation at u, in the precision of u, and then rounded; with ion_strength > 0, ions act as
/// ion_strength clamped_sinh(u) where d > 0.
template <class Real>
void residual(const LevelArrays& level, const Real* u, double ion_strength, const PointCharge* charges,
              std::uint32_t count, const Stream& stream);
/// Partial sums of a b over all points, in double precision.
void dot(const float* a, const float* b, std::uint32_t count, double* parts, const Stream& stream);
/// p = z + beta p.
void direction(const float* z, float beta, float* p, std::uint32_t count, const Stream& stream);
/// level.z = A p inside of the faces; partial sums of p A p.
void apply(const LevelArrays& level, const float* p, double* parts, const Stream& stream);
/// u += alpha p, r -= alpha w; partial sums of the squares of r. `Real`: of u, or of the change of it.
template <class Real>
void step(float alpha, const float* p, const float* w, Real* u, float* r, std::uint32_t count, double* parts,
          const Stream& stream);
/// u += part z.
template <class Real>
void add(double part, const float* z, Real* u, std::uint32_t count, const Stream& stream);
/// d = ion_strength clamped_cosh(u) where d > 0.
template <class Real>
void linearise_ions(const LevelArrays& level, const Real* u, double ion_strength, const Stream& stream);
/// Partial sums of ion_strength clamped_sinh(u + part change) change where d > 0, and of d change^2.
template <class Real>
void change_of_ions(const LevelArrays& level, const Real* u, const float* change, double ion_strength,
                    double part, double* parts, const Stream& stream);

}  // namespace isolume::gpu::equation_kernels
