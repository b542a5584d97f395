#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "core/orbitals/separable_terms.h"
#include "gpu/orbitals/reach.h"

namespace isolume::gpu {

using orbitals::GridAxis;
using GridAxes = std::array<GridAxis, 3>;

/// A position, in steps of the grid from its origin.
Eigen::Vector3d in_steps(const GridAxes& axes, const Eigen::Vector3d& place_bohr);
/// Upper bound of the rounding errors of positions on the device, which are floats in steps.
double rounding_in_steps(const GridAxis& axis, double place_in_steps, double radius);
/// A radius plus the error of the device's distances.
double enlarged_radius(const GridAxes& axes, const Eigen::Vector3d& place_in_steps, double radius);
/// The reach of a term, with that radius.
TermReach reach_of(const GridAxes& axes, const Eigen::Vector3d& place_in_steps, double radius);
/// The terms' number must be a multiple of chunk_terms.
std::vector<Chunk> chunks_of(const std::vector<TermReach>& terms);
/// How many boxes of `size` points the reach overlaps; boxes begin at multiples of their size, and the layer is that of
/// the box along z.
double boxes_in_layer(const GridAxes& axes, const std::array<int, 3>& size, const TermReach& reach,
                      int layer);

}  // namespace isolume::gpu
