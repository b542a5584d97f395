#pragma once

#include "core/multipoles/harmonics.h"
#include "core/multipoles/point_tree.h"

namespace isolume::multipoles {

/// Multipole moments of the source cells, in the order of the tree's cells.
struct CellMoments {
  const PointTree& tree;
  Harmonics harmonics;
  Paged<double> values = {};                  ///< harmonics.size() numbers for each
  Paged<float> singles = {};                  ///< the same in single precision, where it suffices; else none
  Paged<double> charge = {}, magnitude = {};  ///< sums of charges and of their magnitudes
  /// Bound on the moments of the highest two degrees: the field of such a degree is at most this x (radius /
  /// distance)^degree / distance.
  Paged<double> power = {};

  const double* of(std::size_t cell) const { return values.data() + cell * harmonics.size(); }
};

/// The length by which powers of lengths in a cell's expansions are divided.
inline double unit_of(const PointCell& cell) {
  return cell.radius > 1e-60 ? cell.radius : 1e-60;
}

/// Moments of the softening series: softening_terms numbers for each cell; see softening.h.
Paged<double> softening_moments_of(const PointTree& tree);

CellMoments moments_of(const PointTree& tree, int order, bool in_single_precision,
                       const jobs::Progress& progress);

}  // namespace isolume::multipoles
