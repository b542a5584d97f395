#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/multipoles/moments.h"

namespace isolume::multipoles {

/// Multipole acceptance criterion: which cells interact as wholes. Lengths and charges are in units of the
/// frame.
struct Opening {
  /// Opening angle: the sum of the radii must be less than this times the distance of the centres.
  double widest;
  /// The error of the interaction must be at most 2^log_share times the gradient at the target. These are the
  /// logarithms to base 2 of that gradient, one for each target cell. If empty, only the error of the
  /// softening series is limited, as a part of the force of the source.
  std::vector<float> log_gradients = {};
  float log_share = 0;
  double softening = 0;
  /// moments of the sources' softening series, if softened
  const Paged<double>* softening_moments = nullptr;
};

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

/// Walks the target tree and the source tree (which may be the same one) together and computes the sums for
/// all targets. If the trees are the same, no source acts on itself.
void sum_down(const PointTree& targets, const CellMoments& sources, const Opening& opening,
              const NearField& near_field, SortedSums& sums, const jobs::Progress& progress);

}  // namespace isolume::multipoles
