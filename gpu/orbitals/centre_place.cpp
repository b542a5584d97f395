#include "gpu/orbitals/centre_place.h"

namespace isolume::gpu {

CentrePlace place_centre(const Eigen::Vector3d& atom, const grid::Grid* grid) {
  if (grid == nullptr) {
    const Eigen::Vector3f high = atom.cast<float>();
    return {high, (atom - high.cast<double>()).cast<float>()};
  }
  constexpr double exact_in_float = 1 << 22;
  Eigen::Vector3d index = grid->index_at(atom).array().round();
  if (!index.allFinite()) index.setZero();  // a grid without volume: a plane, a line
  index = index.cwiseMax(-exact_in_float).cwiseMin(exact_in_float);
  return {index.cast<float>(), (grid->position(index.x(), index.y(), index.z()) - atom).cast<float>()};
}

}  // namespace isolume::gpu
