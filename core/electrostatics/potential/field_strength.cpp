#include "core/electrostatics/potential/field_strength.h"

#include <Eigen/LU>

#include "core/fields/numbers.h"

namespace isolume::electrostatics {

std::optional<Eigen::Vector3d> field_strength(const grid::ScalarField& potential,
                                              const Eigen::Vector3d& place) {
  const Eigen::Matrix3d steps = grid::shown_per_unit(potential.grid.unit) * potential.grid.step;
  Eigen::Vector3d along_steps;
  for (int axis = 0; axis < 3; ++axis) {
    const auto ahead = fields::value_at(potential, place + steps.col(axis));
    const auto behind = fields::value_at(potential, place - steps.col(axis));
    if (!ahead || !behind) return std::nullopt;
    along_steps[axis] = (*ahead - *behind) / 2;
  }
  return -(steps.transpose().inverse() * along_steps);
}

}  // namespace isolume::electrostatics
