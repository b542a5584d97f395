#pragma once

#include <vector>

#include "core/jobs/progress.h"
#include "core/regions/seeded_image.h"

namespace isolume::regions {

/// Values that a region may have.
struct Interval {
  double low = 0, high = 0;
};

struct Grown {
  std::vector<Label> labels;        ///< 0: reached by none
  std::vector<Interval> intervals;  ///< of each label, from 1; {0, 0} without seeds
};

/// Each label grows from its seeds to neighbours (6; 4 within a single slice) whose values lie within `tolerance`
/// standard deviations of the mean of its seeds, and within the seeds' own range. Where labels meet, the one fewer
/// steps from its seeds is taken, of equal ones the smaller. Throws as require_seeds; Cancelled.
Grown grow_regions(const SeededImage& image, double tolerance, const jobs::Progress& progress = {});

}  // namespace isolume::regions
