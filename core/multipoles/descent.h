#pragma once

#include <cstddef>
#include <cstdint>

#include "core/jobs/progress.h"
#include "core/multipoles/interaction_lists.h"
#include "core/multipoles/near_field.h"

namespace isolume::multipoles {

/// How the direct sums over near points are computed.
struct NearField {
  bool in_single_precision = true;
  /// Single precision is rejected if two points are closer than this times the radius of their cell.
  double close = 0.01;
  /// For an estimate: each leaf acts as one charge that is spread over the leaf.
  bool roughly = false;
  /// Cells with at most this many points are leaves, like those of the tree.
  std::uint32_t leaf_size = 0;
};

/// Sums in the order of the tree's points.
struct SortedSums {
  Paged<double> potential, x, y, z;
  std::uint64_t point_pairs = 0, cell_pairs = 0;

  explicit SortedSums(std::size_t count) : potential(count), x(count), y(count), z(count) {}
};

/// Points of each leaf relative to its centre: converted once, rather than for each target.
Paged<NearSource<float>> single_points_of(const PointTree& tree);

/// Walks the target tree and the source tree (which may be the same one) together and computes the sums for
/// all targets. If the trees are the same, no source acts on itself.
void sum_down(const PointTree& targets, const CellMoments& sources, const Opening& opening,
              const NearField& near_field, SortedSums& sums, const jobs::Progress& progress);

}  // namespace isolume::multipoles
