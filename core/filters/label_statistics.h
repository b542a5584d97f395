#pragma once

#include <cstddef>
#include <vector>

#include "core/grid/field.h"
#include "core/jobs/progress.h"

namespace isolume::filters {

/// Values of an image in the voxels of one label, in the unit of the image.
struct LabelStatistics {
  int label = 0;
  std::size_t voxels = 0;
  double volume_mm3 = 0, mean = 0, standard_deviation = 0, least = 0, greatest = 0;
};

/// Of each label that occurs, in ascending order; 0 is the background. The standard deviation is that of a sample. Throws Error if the grids differ or labels
/// are not whole numbers from 0 to 2^24.
std::vector<LabelStatistics> label_statistics(const grid::ScalarField& image, const grid::ScalarField& labels,
                                              const jobs::Progress& progress = {});

}  // namespace isolume::filters
