#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/multipoles/point_tree.h"

namespace isolume::multipoles {

struct SumOptions {
  /// Softening length: charge / sqrt(r^2 + softening^2) is summed.
  double softening = 0;
  /// Requested relative error of the gradient, as the 99th percentile over the points; 0 if no error is
  /// requested.
  double error = 0;
  /// Opening angle, used if no error is requested: two cells interact as wholes if the sum of their radii is
  /// less than this times the distance of their centres.
  double opening_angle = 0.5;
};
inline constexpr double least_error = 1e-12, most_error = 0.1, widest_opening_angle = 0.9;

/// Times of the phases of a sum, in seconds.
struct SumSeconds {
  double order = 0;     ///< sorting the points into cells
  double moments = 0;   ///< multipole moments of the cells
  double estimate = 0;  ///< estimate of the gradient, if an error is requested
  double sums = 0;
};

/// Results in the order of the points. A source at the position of a point is left out without softening;
/// with softening it adds only its potential.
struct ChargeSums {
  std::vector<double> potential, dx, dy, dz;  ///< the last three: the potential's gradient
  std::uint64_t point_pairs = 0;              ///< pairs that were summed directly
  std::uint64_t cell_pairs = 0;               ///< pairs of cells that interacted by expansions
  int order = 0;                              ///< order of the expansions
  bool single_precision = false;              ///< whether direct pairs were in single precision
  SumSeconds seconds = {};
};

/// The fast multipole method: sums at all targets over all sources, charges of any sign, by expansions in
/// solid harmonics where cells are far from each other (Greengard and Rokhlin, J. Comput. Phys. 73, 325
/// (1987)), in time proportional to the number of points. The multipole acceptance criterion follows from the
/// requested error and an estimate of the gradient at the targets (Dehnen, Comput. Astrophys. Cosmol. 1, 1
/// (2014)).
///
/// It runs on the threads of TBB's arena, with the same result on any number of them. All numbers must be
/// finite and within 1e150. Throws Error for options out of range, ResourceError, Cancelled.
ChargeSums charge_sums(const Points& targets, const Points& sources, const SumOptions& options,
                       const jobs::Progress& progress = {});
/// The same at the sources themselves; each point leaves out its own potential.
ChargeSums charge_sums(const Points& sources, const SumOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::multipoles
