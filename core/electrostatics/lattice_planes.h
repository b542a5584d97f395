#pragma once

#include <cstddef>

#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

/// A range of a lattice's planes across its first axis: [first, end).
struct LatticePlanes {
  int first = 0, end = 0;

  int count() const { return end - first; }
};
inline LatticePlanes all_planes(const lattice::Lattice& lattice) {
  return {0, lattice.dimensions[0]};
}
/// These planes as a lattice of their own. Its points are the same except for rounding.
inline lattice::Lattice lattice_of_planes(lattice::Lattice lattice, const LatticePlanes& planes) {
  lattice.origin = lattice.point(planes.first, 0, 0);
  lattice.dimensions[0] = planes.count();
  return lattice;
}

}  // namespace isolume::electrostatics
