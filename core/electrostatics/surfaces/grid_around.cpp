#include "core/electrostatics/surfaces/grid_around.h"

namespace isolume::electrostatics {

grid::Grid grid_around(const structures::Box& box, double spacing_angstrom, double margin_angstrom) {
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(margin_angstrom);
  return grid::cover_box(box.low - margin, box.high + margin, spacing_angstrom, grid::LengthUnit::angstrom);
}

}  // namespace isolume::electrostatics
