#pragma once

#include <array>
#include <span>

#include "core/jobs/progress.h"
#include "core/volumes/counts.h"

namespace isolume::filters {

/// Convolves with a Gaussian in place, its standard deviation in voxels for each axis (0: not along it); beyond the border,
/// the nearest value inside. From 1 voxel on volumes::smooth_gaussian; below, where recursive filters are off, the sampled
/// Gaussian out to 5 standard deviations, its weights divided by their sum.
void smooth(std::span<float> volume, const volumes::Counts& counts, const std::array<double, 3>& sigma,
            const jobs::Progress& progress);

}  // namespace isolume::filters
