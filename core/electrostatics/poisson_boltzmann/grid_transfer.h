#pragma once

#include "core/electrostatics/poisson_boltzmann/level.h"

/// Between a level and the next coarser one, which has every second point of it: trilinear interpolation, and its
/// transpose the other way. On planes, as stencil.h.
namespace isolume::electrostatics {

/// The parity of i + j + k of the points that are meant.
enum class Points { even, odd, all };

/// coarse.r on planes [first, end) inside of the faces = what fine.r - A fine.z of the points gives; with `all`, what
/// fine.r gives.
void restrict_planes(const Level& fine, Points points, int first, int end, Level& coarse);

/// fine.z of the points of plane k (+)= what is interpolated of coarse.z.
void prolong_plane(const Level& coarse, Points points, bool add, int k, Level& fine);

/// The links and d of the coarse equation on plane k. A coarse link is of two fine ones in a row, which makes their
/// harmonic mean, and of those beside them, which makes the arithmetic mean with weights 1, 2, 1 across; d is summed with
/// the weights of trilinear interpolation.
void coarsen_plane(const Level& fine, int k, Level& coarse);
/// d alone.
void coarsen_ions_plane(const Level& fine, int k, Level& coarse);

}  // namespace isolume::electrostatics
