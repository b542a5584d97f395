#pragma once

#include <optional>

#include "core/multipoles/charge_sums.h"
#include "core/multipoles/descent.h"

namespace isolume::multipoles {

/// Throws Error for options out of range.
void check(const SumOptions& options);
/// The least error for which the direct sums over near points are in single precision, unless points are too
/// close together for it; sums by opening angle have no such limit.
double least_error_in_single_precision(const SumOptions& options);

/// What a sum by expansions needs before sources act on targets: trees, moments and the acceptance criterion.
struct SumSetup {
  /// `at` is null if the targets are the sources, of which there is at least one. The moments are in single
  /// precision up to the order `highest_single` if single precision suffices for the points. Throws as
  /// charge_sums.
  SumSetup(const Points* at, const Points& from, const SumOptions& options, int highest_single,
           const jobs::Progress& progress);
  SumSetup(const SumSetup&) = delete;
  SumSetup& operator=(const SumSetup&) = delete;

  const PointTree& targets() const { return target_tree ? *target_tree : tree; }

  Frame frame;
  PointTree tree;                        ///< of the sources
  std::optional<PointTree> target_tree;  ///< if the targets are not the sources
  int order = 0;
  NearField near_field;
  Paged<double> softening_moments;  ///< if softened
  Opening opening;
  SortedSums sums;  ///< memory for the sums; the estimate of the gradient was in it
  std::optional<CellMoments> moments;
  SumSeconds seconds;  ///< without the sums
};

}  // namespace isolume::multipoles
