#pragma once

#include <string>
#include <vector>

#include "core/contours/contour.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"
#include "core/livewire/costs.h"
#include "core/livewire/engine.h"

namespace isolume::livewire {

/// A contour to be traced at once, without a hand.
struct TraceRequest {
  images::SliceId slice;
  std::vector<Eigen::Vector2d> seeds;  ///< in pixels of the slice
  bool closed = true;
  double snap_radius_px = 0;  ///< 0: the seeds are taken as they are
  CostParameters costs;
};

struct Trace {
  contours::Contour contour;
  double cost = 0;  ///< of all its wires, before rounding to whole numbers
};
/// `image` is the request's slice. Seeds on one pixel, one after the other, count once. No wire runs along
/// another one: of two, the dearer is found again away from the cheaper. Throws Error where a
/// seed lies outside or too few are left (two; three of closed contours), Cancelled.
Trace trace(const images::SliceImage& image, const TraceRequest& request, const Engine& engine,
            const SearchOptions& options = {}, const jobs::Progress& progress = {});

/// What a person should know of a contour that is finished: that it is closed and encloses next to nothing.
/// Empty where all is well.
std::string warning_about(const contours::Contour& contour);

}  // namespace isolume::livewire
