#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/regions/seeded_image.h"

namespace isolume::regions {

/// Length of an image's gradient after a Gaussian, in whole levels of 1 / 65535 of the largest one.
struct Relief {
  grid::Grid grid;
  std::vector<std::uint16_t> levels;
};
/// Central differences, one-sided ones at the border. `sigma_mm`: standard deviation of the Gaussian; 0: none. Throws
/// Error for values that are not finite, Cancelled.
Relief relief_of(const grid::Grid& grid, std::span<const float> values, double sigma_mm,
                 const jobs::Progress& progress = {});

/// Parts of an image that edges separate: each voxel's minimum of the relief, over 6 neighbours (4 in a single slice).
struct Basins {
  std::vector<std::uint32_t> numbers;  ///< from 1
  std::size_t count = 0;
};
/// Basins of the regional minima, by flooding: F. Meyer, Signal Process. 38, 113 (1994). Throws Cancelled.
Basins find_basins(const Relief& relief, const jobs::Progress& progress = {});

/// Labels of all voxels: each has that of the seeds from which a path leads to it over the lowest pass of the relief, of
/// equal ones about the nearest. So basins without seeds join a region over their lowest pass, and a basin with seeds of
/// several labels is divided. Throws as require_seeds; Cancelled.
std::vector<Label> flood(const Relief& relief, const SeededImage& image, const jobs::Progress& progress = {});

}  // namespace isolume::regions
