#pragma once

#include <vector>

#include "app/labs/livewire/tools/wire_finder.h"
#include "core/contours/contour.h"
#include "core/jobs/progress.h"

namespace isolume::labs::livewire {

/// Contours for the slices between the label's contoured ones, each snapped to the edges of its slice. Marked
/// as suggestions. For jobs. Throws Error where fewer than two slices are contoured, Cancelled.
std::vector<contours::Contour> suggest(const contours::ContourSet& set, int label, int axis,
                                       const WireProblem& problem, double snap_radius_px,
                                       const jobs::Progress& progress);

}  // namespace isolume::labs::livewire
