#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/labs/nbody/bodies_picture.h"
#include "core/jobs/activity.h"

namespace isolume::labs::nbody {

/// What is to be drawn. Frames of one `subject` share the extent of the first of them, or the one that is given.
struct DrawingRequest : BodiesRequest {
  std::uint64_t subject = 0;
};

/// Makes drawings of frames on a thread of its own, as long as this lives: colours and densities of a million bodies take
/// longer than a window may rest. Where requests come faster than that, the newest one is drawn.
class DrawingThread {
 public:
  /// Called on the thread, on behalf of the activities that the drawing was asked for by.
  using Taker = std::function<void(const DrawingRequest& request, const BodiesDrawing& drawing)>;

  /// Called on the thread, for a drawing that could not be made: why, in one line for people. Its activities have been failed.
  using Complainer = std::function<void(const std::string& error)>;

  /// Called on the thread, for a frame that its device has lost: another of that step is to be asked for, with which the
  /// activities of this one end.
  using Loser = std::function<void()>;

  DrawingThread(Taker take, Complainer complain, Loser lost);
  DrawingThread(const DrawingThread&) = delete;
  DrawingThread& operator=(const DrawingThread&) = delete;

  /// Returns at once. The present activity, and `awaited_by`, end after the drawing, or a newer one, has been taken.
  void ask(DrawingRequest request, jobs::Activity::Pointer awaited_by = nullptr);

 private:
  struct Pending {
    DrawingRequest request;
    std::vector<jobs::Activity::Pointer> activities;
  };
  void work(const std::stop_token& stop);
  void fail(const Pending& pending, const std::string& error);
  void lose(Pending lost);

  Taker take_;
  Complainer complain_;
  Loser lost_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::optional<Pending> pending_;
  std::vector<jobs::Activity::Pointer> left_;  ///< of frames that were lost, where nothing is pending
  std::jthread thread_;                        ///< the last member: it uses the others
};

}  // namespace isolume::labs::nbody
