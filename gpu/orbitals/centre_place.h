#pragma once

#include <Eigen/Core>

#include "core/lattice/lattice.h"

namespace isolume::gpu {

/// Where an atom stands, in two floats an axis. On lattices n is the nearest lattice index and r the place of
/// that lattice point relative to the atom: a point's place is then (index - n) * step + r, with an error in
/// proportion to its distance and not to the box. Away from lattices n + r is the atom's own place.
struct CentrePlace {
  Eigen::Vector3f n;
  Eigen::Vector3f r;
};

/// `lattice` null: for scattered points.
CentrePlace place_centre(const Eigen::Vector3d& atom, const lattice::Lattice* lattice);

}  // namespace isolume::gpu
