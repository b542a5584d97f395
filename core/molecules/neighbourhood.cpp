#include "core/molecules/neighbourhood.h"

#include <cmath>

namespace isolume::molecules {

void Neighbourhood::add(const Eigen::Vector3d& place, std::size_t item) {
  cells_[key_of(cell_of(place))].push_back({place, item});
}

// Positions lie within most_magnitude, so that cell indices are integers.
Eigen::Vector3i Neighbourhood::cell_of(const Eigen::Vector3d& place) const {
  return (place / reach_).array().floor().cast<int>();
}

std::uint64_t Neighbourhood::key_of(const Eigen::Vector3i& cell) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis)
    key = key << 21U | (static_cast<std::uint64_t>(cell[axis]) & ((std::uint64_t{1} << 21U) - 1));
  return key;
}

}  // namespace isolume::molecules
