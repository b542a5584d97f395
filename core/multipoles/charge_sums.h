#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/multipoles/point_tree.h"

namespace isolume::multipoles {

struct SumOptions {
  /// charge / sqrt(r^2 + softening^2) is summed.
  double softening = 0;
  /// Of the gradient at a point, relative; 99 of 100 points stay below it. 0: not asked for.
  double error = 0;
  /// Cells act on each other as wholes where their radii together are less than so many times the distance of their
  /// centres; used where no error is asked for.
  double opening_angle = 0.5;
};
inline constexpr double least_error = 1e-12, most_error = 0.1, widest_opening_angle = 0.9;

/// Where the time of a sum went, in seconds.
struct SumSeconds {
  double order = 0;     ///< points into cells
  double moments = 0;   ///< of the cells
  double estimate = 0;  ///< of the gradient, where an error is asked for
  double sums = 0;
};

/// In the order of the points. Points at the same place as a source get nothing of it, or, softened, its potential.
struct ChargeSums {
  std::vector<double> potential, dx, dy, dz;  ///< the last three: the potential's gradient
  std::uint64_t point_pairs = 0;              ///< that were added one by one
  std::uint64_t cell_pairs = 0;               ///< one's expansion to the other's
  int order = 0;                              ///< of expansions
  bool single_precision = false;              ///< points one by one
  SumSeconds seconds = {};
};

/// The fast multipole method: sums at all targets over all sources, charges of any sign, by expansions in solid
/// harmonics where cells are far from each other (Greengard and Rokhlin, J. Comput. Phys. 73, 325 (1987)), in time
/// proportional to the number of points. Which cells are far follows from the error that is asked for and an
/// estimate of the gradient at the targets (Dehnen, Comput. Astrophys. Cosmol. 1, 1 (2014)).
///
/// On the threads of TBB's arena, with the same result on any number of them. All numbers finite, within 1e150.
/// Throws Error for options out of range, ResourceError, Cancelled.
ChargeSums charge_sums(const Points& targets, const Points& sources, const SumOptions& options,
                       const jobs::Progress& progress = {});
/// At the sources themselves, each without its own potential.
ChargeSums charge_sums(const Points& sources, const SumOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::multipoles
