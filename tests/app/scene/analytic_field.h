#pragma once

#include <functional>

#include <Eigen/Core>

#include "core/lattice/scalar_field.h"

namespace isolume::scene {

/// A function of a place in the unit that scenes show, sampled on a lattice.
inline lattice::ScalarField sampled(const lattice::Lattice& lattice,
                                    const std::function<double(const Eigen::Vector3d& place)>& function) {
  lattice::ScalarField field;
  field.lattice = lattice;
  field.values.resize(lattice.point_count());
  std::size_t index = 0;
  for (int k = 0; k < lattice.dimensions[2]; ++k) {
    for (int j = 0; j < lattice.dimensions[1]; ++j) {
      for (int i = 0; i < lattice.dimensions[0]; ++i) {
        const Eigen::Vector3d place = lattice.point(i, j, k) * lattice::shown_per_unit(lattice.unit);
        field.values[index++] = static_cast<float>(function(place));
      }
    }
  }
  return field;
}

}  // namespace isolume::scene
