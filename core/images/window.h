#pragma once

#include <cstddef>
#include <vector>

#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Customary CT windows, in HU: lung -600/1500, bone 400/1800, brain 40/80, soft tissue 40/400.
const std::vector<Window>& ct_windows();

/// From black at `low` to white at `high`; the width is always positive.
Window window_over(const ValueRange& range, std::string name = {});

/// From the value below which a fraction `low` of the voxels lie to the one above which 1 - `high` lie; NaN and
/// infinities do not count. Accurate to 1/65536 of the whole range, and thus exact for 8- and 16-bit voxels. Reads
/// the whole volume twice: for jobs.
Window percentile_window(const Volume& volume, double low = 0.01, double high = 0.99,
                         const jobs::Progress& progress = {});

/// Values of some ten thousand voxels of the middle slice, available immediately even from a mapped file.
struct SampledValues {
  std::vector<double> finite;
  std::size_t not_finite = 0;  ///< number of those that are NaN or infinite
};
SampledValues sampled_values(const Volume& volume);

/// The initial window, available immediately: the file's best window, else black to white for colours and 8-bit
/// pictures, else the 1st to 99th percentile of the sampled values.
Window first_window(const Document& document);

}  // namespace isolume::images
