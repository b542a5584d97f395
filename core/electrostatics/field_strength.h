#pragma once

#include <optional>

#include <Eigen/Core>

#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// The electric field E = -grad V at a place in the unit that scenes show, in the potential's unit per that length: differences
/// of values interpolated one step of the lattice to both sides along each of its axes, of second order in the spacing. Near a
/// charge it is the lattice's field, which has no pole. Nothing nearer to the lattice's faces than a step.
std::optional<Eigen::Vector3d> field_strength(const lattice::ScalarField& potential,
                                              const Eigen::Vector3d& place);

}  // namespace isolume::electrostatics
