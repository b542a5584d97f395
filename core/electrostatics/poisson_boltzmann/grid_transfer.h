#pragma once

#include "core/electrostatics/poisson_boltzmann/level.h"

/// Transfer between a level and the next coarser one, which has every second point of it: trilinear interpolation,
/// and its transpose as restriction. On planes, as stencil.h.
namespace isolume::electrostatics {

/// The parity of i + j + k of the selected points.
enum class Points { even, odd, all };

/// coarse.r on planes [first, end) in the interior = restriction of fine.r - A fine.z at the selected points; with
/// `all`, of fine.r.
void restrict_planes(const Level& fine, Points points, int first, int end, Level& coarse);

/// fine.z at the selected points of plane k (+)= interpolated coarse.z.
void prolong_plane(const Level& coarse, Points points, bool add, int k, Level& fine);

/// The links and d of the coarse equation on plane k. A coarse link combines two fine ones in series by the harmonic
/// mean, and the neighbouring ones by the arithmetic mean with weights 1, 2, 1 across; d is summed with the weights
/// of trilinear interpolation.
void coarsen_plane(const Level& fine, int k, Level& coarse);
/// Only d.
void coarsen_ions_plane(const Level& fine, int k, Level& coarse);

}  // namespace isolume::electrostatics
