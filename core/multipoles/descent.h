#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/multipoles/moments.h"

namespace isolume::multipoles {

/// Which cells act on each other as wholes; lengths and charges in units of the frame.
struct Opening {
  /// Where their radii together are less than so many times the distance of their centres, and
  double widest;
  /// where what is left out is a small enough part, 2 to the power of log_share, of the gradient at the target, of
  /// which this is the logarithm to base 2 for each of its cells. Empty: any part will do, but for the part of
  /// what a cell exerts that series of softening leave out.
  std::vector<float> log_gradients = {};
  float log_share = 0;
  double softening = 0;
  const Paged<double>* softening_moments = nullptr;  ///< of the sources, with softening
};

/// How points that are near each other act.
struct NearField {
  bool in_single_precision = true;
  /// Where two points are closer than so many radii of their cell, single precision would not do.
  double close = 0.01;
  /// Leaves as one charge each that is spread over the leaf, for an estimate.
  bool roughly = false;
};

/// In the order of the tree's points.
struct SortedSums {
  Paged<double> potential, x, y, z;
  std::uint64_t point_pairs = 0, cell_pairs = 0;

  explicit SortedSums(std::size_t count) : potential(count), x(count), y(count), z(count) {}
};

/// Goes down the targets' tree, to which the sources' may be the same, and sums for all targets. No
/// source acts on itself where the trees are the same.
void sum_down(const PointTree& targets, const CellMoments& sources, const Opening& opening,
              const NearField& near_field, SortedSums& sums, const jobs::Progress& progress);

}  // namespace isolume::multipoles
