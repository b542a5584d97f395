#pragma once

#include <optional>

#include <Eigen/Core>

#include "core/grid/scalar_field.h"

namespace isolume::electrostatics {

/// The electric field E = -grad V at a point given in the scene's length unit, in the potential's unit per that
/// length: central differences of interpolated values one grid step to both sides along each grid axis, of
/// second order in the spacing. Near a charge it is the field of the grid solution, which has no pole. Nothing
/// within a step of the grid boundary.
std::optional<Eigen::Vector3d> field_strength(const grid::ScalarField& potential,
                                              const Eigen::Vector3d& place);

}  // namespace isolume::electrostatics
