#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/labs/nbody/bodies_picture.h"
#include "core/jobs/activity.h"
#include "core/jobs/job_runner.h"

namespace isolume::labs::nbody {

/// What is to be drawn. Frames of one `subject` share the extent of the first of them, or the one that is given.
struct DrawingRequest : BodiesRequest {
  std::uint64_t subject = 0;
};

/// Makes drawings of frames in jobs of its own, as long as this lives: colours and densities of a million bodies take
/// longer than a window may rest. Where requests come faster than that, the newest one is drawn.
class BodiesDrawer {
 public:
  // All are called on a job's thread.

  /// On behalf of the activities that asked for the drawing.
  using Taker = std::function<void(const DrawingRequest& request, const BodiesDrawing& drawing)>;

  /// For a drawing that could not be made: why, in one line for people. Its activities have been failed.
  using Complainer = std::function<void(const std::string& error)>;

  /// For a frame that its device has lost: another one of that step is to be asked for, with which the activities of
  /// this one end.
  using Loser = std::function<void()>;

  BodiesDrawer(Taker take, const Complainer& complain, Loser lost);
  BodiesDrawer(const BodiesDrawer&) = delete;
  BodiesDrawer& operator=(const BodiesDrawer&) = delete;

  /// Returns at once. The present activity, and `awaited_by`, end after the drawing, or a newer one, has been taken.
  void ask(DrawingRequest request, jobs::Activity::Pointer awaited_by = nullptr);

 private:
  void draw(const DrawingRequest& wanted);

  Taker take_;
  Loser lost_;
  // Of the running job alone:
  std::uint64_t subject_ = 0;
  std::optional<Extent> extent_;
  std::shared_ptr<const bodies::SteadyBodies> steady_;
  jobs::Activity::Pointer left_;  ///< waits for frames that were lost
  jobs::JobRunner jobs_;          ///< the last member: its jobs use the others
};

}  // namespace isolume::labs::nbody
