#pragma once

#include <array>
#include <span>

#include "core/volumes/counts.h"

namespace isolume::volumes {

/// Convolves with a Gaussian, its standard deviation in voxels for each axis (0: not along it); outside, the nearest value
/// inside. Recursive filters of fourth order in both directions (R. Deriche, INRIA report 1893, 1993): the same time for any
/// width. From a standard deviation of 1 voxel on, the response to a point differs from the Gaussian by at most 5e-4 of its
/// peak.
void smooth_gaussian(std::span<float> volume, const Counts& counts, const std::array<double, 3>& sigma);

}  // namespace isolume::volumes
