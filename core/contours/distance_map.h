#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Squared distance in mm^2 of each voxel's centre to that of the nearest voxel whose bit of `mask` is set (x
/// fastest; infinite where there is none). Exact, in linear time: lower envelopes of parabolas along one axis after
/// the other (Felzenszwalb and Huttenlocher, Theory of Computing 8, 415, 2012). Throws Cancelled.
FieldValues squared_distances_mm2(const std::vector<std::uint8_t>& mask, std::uint8_t bit,
                                  const std::array<int, 3>& size, const Eigen::Vector3d& spacing_mm,
                                  const jobs::Progress& progress = {});

}  // namespace isolume::contours
