#include "core/electrostatics/lattice_around.h"

namespace isolume::electrostatics {

lattice::Lattice lattice_around(const structures::Box& box, double spacing_angstrom, double margin_angstrom) {
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(margin_angstrom);
  return lattice::cover_box(box.low - margin, box.high + margin, spacing_angstrom,
                            lattice::LengthUnit::angstrom);
}

}  // namespace isolume::electrostatics
