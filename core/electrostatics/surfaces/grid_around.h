#pragma once

#include "core/grid/grid.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A grid around a box in angstrom, such as that of all atoms. Throws Error for a spacing that is not positive.
inline grid::Grid grid_around(const structures::Box& box, double spacing_angstrom, double margin_angstrom) {
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(margin_angstrom);
  return grid::cover_box(box.low - margin, box.high + margin, spacing_angstrom, grid::LengthUnit::angstrom);
}
inline grid::Grid grid_around(const structures::Charges& charges, double spacing_angstrom,
                              double margin_angstrom) {
  return grid_around(structures::box_of(charges), spacing_angstrom, margin_angstrom);
}

}  // namespace isolume::electrostatics
