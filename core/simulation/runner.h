#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/simulation/course.h"
#include "core/simulation/frame_ring.h"
#include "core/simulation/simulation.h"

namespace isolume::simulation {

struct RunnerOptions {
  std::size_t frame_bytes = std::size_t{256} << 20;  ///< for the frames shown last and those that come next
  std::size_t frame_slots = 512;                     ///< maximum number of frames
  std::size_t checkpoint_bytes = std::size_t{512} << 20;  ///< for each direction of time
  std::int64_t checkpoint_spacing = 16;                   ///< in steps, as long as memory suffices
  std::int64_t steps_per_frame = 1;                       ///< frames are made at multiples of this
  Wanted wanted = everything;                             ///< parts of each frame
  /// The last step of the simulation; empty: unlimited, or the end of its recording.
  std::optional<std::int64_t> last_step = std::nullopt;
};

/// The steps from `first` to `last` have been computed and can be shown again.
struct Recorded {
  std::int64_t first = 0, last = 0;
  std::uint64_t epoch = 0;  ///< changes when recorded steps are removed or replaced
};

struct RunnerStatus {
  enum class Activity { waiting, advancing, recomputing, stopped };
  Activity activity = Activity::waiting;
  /// The reason for `stopped`, one line for users; otherwise empty.
  std::string error;
  /// Why the simulation refused the value that was set last, one line for users; otherwise empty.
  std::string refusal;
  std::string stage;    ///< of the step being computed
  double fraction = 0;  ///< of that step
  double steps_per_second = 0;
  std::size_t frames = 0, frame_bytes = 0;
  std::size_t checkpoints = 0, checkpoint_bytes = 0;
  std::int64_t checkpoint_spacing = 0;
  std::size_t faults = 0;  ///< number of returns to a checkpoint after exceptions
};

/// Runs a simulation on a thread of its own during this object's lifetime, and records its steps: checkpoints
/// from which any step can be recomputed bit for bit, with the parameter changes, and a ring of frames for
/// drawing.
///
/// It computes only what is requested. Unless stated otherwise, calls return at once, may come from any
/// thread, and take effect on the simulation's thread in the order of the calls.
///
/// If a step throws, it returns to the last checkpoint and tries once more; then it stops with an error. The
/// record can still be viewed, and rewind_to(), a changed parameter or resume() starts it again.
class Runner {
 public:
  /// The simulation must be at the origin of the course, by which its parameters change; an empty course
  /// begins here.
  explicit Runner(std::unique_ptr<Simulation> simulation, const RunnerOptions& options = {},
                  const Course& course = {});
  /// Cancels the running computation, and waits for that (the simulation checks its progress).
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  const RunnerOptions& options() const;
  bool reversible() const;

  // Calls for drawing; they neither lock nor wait.

  Recorded recorded() const;
  /// The frame of this step if it is in the ring; else null, and look() requests it.
  FramePointer frame(std::int64_t step) const;
  /// `shown`: the step whose frame is needed in the ring next. `ahead`: the step up to which to compute the
  /// record then (below its first: backwards, if the simulation is reversible). Empty: nothing more is
  /// needed.
  void look(std::optional<std::int64_t> shown, std::optional<std::int64_t> ahead);

  // Calls for user actions.

  /// The frame of any step, recorded or not (all steps on the way are recorded). The future throws Error,
  /// Cancelled.
  std::future<FramePointer> go_to(std::int64_t step);
  /// Another simulation in the state of that step, for a runner of its own.
  std::future<std::unique_ptr<Simulation>> branch(std::int64_t step);
  /// Returns to a recorded step and removes the record after it; the simulation continues from there, with
  /// the parameters of that step. A step before the start becomes the start. `without`: a parameter whose change
  /// at that step is removed, too, as if it had never been made; at the start, set its value instead.
  std::future<void> rewind_to(std::int64_t step, const std::string& without = {});
  /// Sets a parameter from the present end of the record on, after all changes of its course, or everywhere
  /// for a recording. Throws Error if the value is not allowed; the future throws if the simulation rejects
  /// it.
  std::future<void> set_parameter(std::string_view key, const parameters::Value& value);
  /// The same as a set, with the values set last (or those of the step to which it returned). For the thread
  /// that draws panels.
  parameters::ParameterSet& parameters();
  /// Changes when parameters() has other values than were set: by a return to an earlier step, or where the
  /// simulation refused one.
  std::uint64_t parameters_epoch() const;
  /// The past and the pending changes after all earlier calls, or the part of them that leads to a recorded
  /// step.
  std::future<Course> course(std::optional<std::int64_t> to = std::nullopt);
  /// Tries again after an error.
  void resume();
  /// Cancels the running computation and all pending requests at once; their futures throw Cancelled.
  void cancel();

  RunnerStatus status() const;
  /// Called on the simulation's thread after each new frame and each change of status; must not block. To be
  /// set before any request.
  void observe(std::function<void()> observer);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace isolume::simulation
