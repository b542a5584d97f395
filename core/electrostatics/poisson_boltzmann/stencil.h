#pragma once

#include "core/electrostatics/poisson_boltzmann/equation_solver.h"
#include "core/electrostatics/poisson_boltzmann/level.h"

/// The work of the seven-point stencil on single planes of a level, in SIMD. Planes are independent of each other
/// within a call's contract, so that any number of threads may share them with the same result.
namespace isolume::electrostatics {

/// Solves the equation of each point of the plane where i + j + k has the parity of `colour`, with its neighbours as
/// they are, or as if they were 0. Bytes a point: 12 of links and, of half of the points each, 4 of d, of r and of z,
/// which is also read at the other half.
void relax_plane(Level& level, int k, int colour, bool neighbours_are_zero);

/// out = A p on the plane; returns the sum of p out, which is added up in double precision row by row.
double apply_plane(const Level& level, const float* p, float* out, int k);

/// r - A z at the row's points of the parity, one after the other as they lie in the row.
void residual_row(const Level& level, int j, int k, int colour, float* out);

/// -A u on the plane in double precision, and then to single. With `ion_strength` > 0, ions act as
/// ion_strength sinh(u) where d > 0 and not as d u: clamped_sinh.
void minus_applied_plane(const Level& level, const double* u, double ion_strength, float* out, int k);

/// The straight line of most_potential_of_ions beyond it.
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

/// What follows is for a step of Newton's method of which perhaps a part is taken. While it is solved, u at the points
/// inside of the faces holds two numbers of single precision in its place: what u was, and how it changes.
void set_aside_plane(const Extents& extents, double* u, int k);
/// The change += alpha p, r -= alpha w; returns the sum of the squares of r.
double step_aside_plane(const Extents& extents, double alpha, const float* p, const float* w, double* u,
                        float* r, int k);
ChangeOfIons change_of_ions_plane(const Level& level, const double* u, double ion_strength, double part,
                                  int k);
/// u + part change.
void take_part_plane(const Extents& extents, double part, double* u, int k);

}  // namespace isolume::electrostatics
