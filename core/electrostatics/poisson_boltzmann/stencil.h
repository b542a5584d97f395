#pragma once

#include "core/electrostatics/poisson_boltzmann/equation_solver.h"
#include "core/electrostatics/poisson_boltzmann/level.h"

/// SIMD kernels of the seven-point stencil on single planes of a level. Planes are independent of each other within a
/// call's contract, so that any number of threads may share them with the same result.
namespace isolume::electrostatics {

/// Solves the equation of each point of the plane where i + j + k has the parity of `colour`, with its neighbours as
/// they are, or as if they were 0. Bytes per point: 12 for links and, for half of the points each, 4 for d, r and z,
/// which is also read at the other half.
void relax_plane(Level& level, int k, int colour, bool neighbours_are_zero);

/// out = A p on the plane; returns the sum of p out, accumulated in double precision row by row.
double apply_plane(const Level& level, const float* p, float* out, int k);

/// r - A z at the row's points of the parity, in the order of the row.
void residual_row(const Level& level, int j, int k, int colour, float* out);

/// -A u on the plane in double precision, then rounded to single. With `ion_strength` > 0, the ion term is
/// ion_strength sinh(u) where d > 0 instead of d u: clamped_sinh.
void minus_applied_plane(const Level& level, const double* u, double ion_strength, float* out, int k);

/// Continued linearly beyond most_potential_of_ions.
double clamped_sinh(double u);
/// Its derivative.
double clamped_cosh(double u);

/// d = ion_strength clamped_cosh(u) where d > 0.
void linearise_ions_plane(Level& level, const double* u, double ion_strength, int k);

/// The sum of a b on plane k, in double precision.
double dot_plane(const Extents& extents, const float* a, const float* b, int k);
/// p = z + beta p.
void direction_plane(const Extents& extents, const float* z, double beta, float* p, int k);
/// u += alpha p, r -= alpha w; returns the sum of the squares of r.
double step_plane(const Extents& extents, double alpha, const float* p, const float* w, double* u, float* r,
                  int k);

/// The following is for the line search of a Newton step. During it, u at the interior points holds two
/// single-precision numbers in place of each double: the previous u, and its change.
void set_aside_plane(const Extents& extents, double* u, int k);
/// The change += alpha p, r -= alpha w; returns the sum of the squares of r.
double step_aside_plane(const Extents& extents, double alpha, const float* p, const float* w, double* u,
                        float* r, int k);
ChangeOfIons change_of_ions_plane(const Level& level, const double* u, double ion_strength, double part,
                                  int k);
/// u + part change.
void take_part_plane(const Extents& extents, double part, double* u, int k);

}  // namespace isolume::electrostatics
