#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/electrostatics/poisson_boltzmann/multigrid_kernels.h"

/// The solver of the Poisson-Boltzmann equation on a GPU: multigrid, conjugate gradients and residuals, with
/// the operations of the CPU for each point (core/electrostatics/poisson_boltzmann: stencil.h,
/// grid_transfer.h) and the same layout of arrays. Points of one colour in a row are adjacent, so that a warp
/// that relaxes one colour reads whole cache lines.
///
/// Bounds: everything is limited by memory. A cycle from zero moves, for each point of the finest level, 18
/// bytes to relax the red points, whose neighbours are 0, and 20 for each of the three other half sweeps (12
/// of links; 4 of d and r, 2 and 2 of z, of half of the points each), 20.5 to restrict the residual, 4.5 to
/// interpolate: 103, or 118 with the coarser levels. A step of conjugate gradients moves 76 in addition (z r:
/// 8, p: 12, A p: 24, u and r: 32), a residual in double precision 28. These 194 bytes take about 140
/// operations, 1.4 per byte, a tenth of what a GPU could do in that time. 97^3 points take 37 us a cycle with
/// a memory of 4.8e12 bytes/s, and less if they stay in its cache. The kernels of the coarse levels take
/// about 2 us each to start, 45 in a cycle; they are queued as one graph.
namespace isolume::gpu::equation_kernels {

/// A charge at an inner point.
struct PointCharge {
  std::uint32_t at;
  double value;
};

/// Number of partial sums of a kernel, which `reduce_partial_sums` reduces to `sums` sums.
inline constexpr unsigned most_parts = 1024;
inline constexpr int most_sums = 2;
inline constexpr std::size_t sums_size = most_parts * most_sums;
void reduce_partial_sums(const double* parts, int sums, double* out, const Stream& stream);

/// r = the residual at u, in the precision of u, and then rounded; with ion_strength > 0, ions contribute
/// ion_strength clamped_sinh(u) where d > 0.
template <class Real>
void residual(const LevelArrays& level, const Real* u, double ion_strength, const PointCharge* charges,
              std::uint32_t count, const Stream& stream);
/// Partial sums of a b over all points, in double precision.
void dot(const float* a, const float* b, std::uint32_t count, double* parts, const Stream& stream);
/// p = z + beta p.
void direction(const float* z, float beta, float* p, std::uint32_t count, const Stream& stream);
/// level.z = A p at inner points; partial sums of p A p.
void apply(const LevelArrays& level, const float* p, double* parts, const Stream& stream);
/// u += alpha p, r -= alpha w; partial sums of the squares of r. `Real`: the type of u, or of its change.
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
