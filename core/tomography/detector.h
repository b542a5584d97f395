#pragma once

#include <cstdint>
#include <span>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/tomography/geometry.h"

namespace isolume::tomography {

/// Line integrals from measured intensities: -log((value - dark) / (flat - dark)). `flat` (without object) and `dark`
/// (without radiation) are one view each, column by column as Projections; an empty `dark` is 0. Remarks count values
/// without a logarithm: an intensity of 0 or below becomes the least one above 0 of the set, what is not finite and
/// pixels whose flat field is not above the dark one become 0. Throws Error where no value can be used.
Remarks take_logarithm(Projections& projections, std::span<const float> flat, std::span<const float> dark);

/// Replaces values that are not finite by 0, and counts them.
Remarks replace_not_finite(Projections& projections);

/// Line integrals as measured with `photons` per pixel of the open beam: counts are Poisson-distributed.
/// Each pixel has a random number of its own (by seed, view and pixel), which stays while `photons` changes: the
/// quantile that it selects. From a mean of 25 on, quantiles are those of E. A. Cornish and R. A. Fisher's expansion
/// to the second order. No photon counts as half a one.
Projections with_noise(const Projections& projections, double photons, std::uint64_t seed,
                       const jobs::Progress& progress = {});

}  // namespace isolume::tomography
