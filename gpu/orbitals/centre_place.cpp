#include "gpu/orbitals/centre_place.h"

namespace isolume::gpu {

CentrePlace place_centre(const Eigen::Vector3d& atom, const lattice::Lattice* lattice) {
  if (lattice == nullptr) {
    const Eigen::Vector3f high = atom.cast<float>();
    return {high, (atom - high.cast<double>()).cast<float>()};
  }
  constexpr double exact_in_float = 1 << 22;
  Eigen::Vector3d index = lattice->index_of(atom).array().round();
  if (!index.allFinite()) index.setZero();  // a lattice without volume: a plane, a line
  index = index.cwiseMax(-exact_in_float).cwiseMin(exact_in_float);
  return {index.cast<float>(), (lattice->point(index.x(), index.y(), index.z()) - atom).cast<float>()};
}

}  // namespace isolume::gpu
