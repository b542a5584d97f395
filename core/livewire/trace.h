#pragma once

#include <string>
#include <vector>

#include "core/contours/contour.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"
#include "core/livewire/costs.h"
#include "core/livewire/engine.h"

namespace isolume::livewire {

/// A contour to be traced automatically from given seeds.
struct TraceRequest {
  images::SliceId slice;
  std::vector<Eigen::Vector2d> seeds;  ///< in pixels of the slice
  bool closed = true;
  double snap_radius_px = 0;  ///< 0: the seeds are used unchanged
  CostParameters costs;
};

struct Trace {
  contours::Contour contour;
  double cost = 0;  ///< of all its wires, before rounding to whole numbers
};
/// `image` is the request's slice. Consecutive seeds on the same pixel count once. Wires must not run along each
/// other: the more expensive of two is recomputed away from the cheaper. Throws Error where a seed lies outside or
/// too few are left (two; three for closed contours), Cancelled.
Trace trace(const images::SliceImage& image, const TraceRequest& request, const Engine& engine,
            const SearchOptions& options = {}, const jobs::Progress& progress = {});

/// Warning about a finished contour that is closed but encloses almost no area. Empty if there is nothing to warn
/// about.
std::string warning_about(const contours::Contour& contour);

}  // namespace isolume::livewire
