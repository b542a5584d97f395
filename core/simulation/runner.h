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
  std::size_t frame_bytes = std::size_t{256} << 20;       ///< for frames that were drawn last or come next
  std::size_t frame_slots = 512;                          ///< and no more of them than this
  std::size_t checkpoint_bytes = std::size_t{512} << 20;  ///< in each direction of time
  std::int64_t checkpoint_spacing = 16;                   ///< steps, as long as the memory is enough
  std::int64_t steps_per_frame = 1;                       ///< frames are at multiples of it
  Wanted wanted = everything;                             ///< in each frame
  /// Where the simulation ends; nothing: nowhere, or where its recording does.
  std::optional<std::int64_t> last_step = std::nullopt;
};

/// Steps from `first` to `last` have been computed: each of them can be looked at again.
struct Recorded {
  std::int64_t first = 0, last = 0;
  std::uint64_t epoch = 0;  ///< changes when recorded moments are forgotten or become others
};

struct RunnerStatus {
  enum class Activity { waiting, advancing, recomputing, stopped };
  Activity activity = Activity::waiting;
  /// Why it is `stopped`, one line for people; else empty.
  std::string error;
  std::string stage;    ///< of the step being computed
  double fraction = 0;  ///< of that step
  double steps_per_second = 0;
  std::size_t frames = 0, frame_bytes = 0;
  std::size_t checkpoints = 0, checkpoint_bytes = 0;
  std::int64_t checkpoint_spacing = 0;
  std::size_t faults = 0;  ///< after which it went back to a checkpoint
};

/// A simulation on a thread of its own, as long as this object lives, with a record of what it has computed:
/// checkpoints from which any moment is computed again bit for bit, parameter changes among them, and a ring
/// of frames that are drawn.
///
/// It computes what is asked for and no more. Unless something else is written, calls return at once, come
/// from any thread, and the effect follows on the simulation's thread in the order of the calls.
///
/// Where a step throws, it goes back to the last checkpoint and tries once more; then it stops with an error.
/// What is recorded can still be looked at, and rewind_to(), a changed parameter or resume() sets it going
/// again.
class Runner {
 public:
  /// The simulation is at the origin of the course, by which its parameters change; one that says nothing begins here.
  explicit Runner(std::unique_ptr<Simulation> simulation, const RunnerOptions& options = {},
                  const Course& course = {});
  /// Gives up what is being computed, and waits for that (the simulation checks its progress).
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  const RunnerOptions& options() const;
  bool reversible() const;

  // What drawing calls; no locks, no waiting.

  Recorded recorded() const;
  /// Of this step, where it is in the ring; else null, and look() makes it come.
  FramePointer frame(std::int64_t step) const;
  /// `shown`: this step's frame is wanted in the ring next. `ahead`: and then the record up to this step
  /// (below its first: backwards, where the simulation can). Nothing: what there is is enough.
  void look(std::optional<std::int64_t> shown, std::optional<std::int64_t> ahead);

  // What people do.

  /// The frame of any step, recorded or not (which records all on the way). The future throws Error,
  /// Cancelled.
  std::future<FramePointer> go_to(std::int64_t step);
  /// Another simulation in the state of that step, for a runner of its own.
  std::future<std::unique_ptr<Simulation>> branch(std::int64_t step);
  /// Back to a recorded moment: what was recorded after it is forgotten, and from here it goes on, with the
  /// parameters that it had. A step from before the start becomes the start.
  std::future<void> rewind_to(std::int64_t step);
  /// From where the record ends now, and after all changes of its course; of a recording everywhere. Throws Error where
  /// the value is not allowed by itself; the future throws where the simulation refuses it.
  std::future<void> set_parameter(std::string_view key, const parameters::Value& value);
  /// The same as a set, whose values are those that were set last (or those of the moment that it went back
  /// to). For the thread that draws panels.
  parameters::ParameterSet& parameters();
  /// What was done by all that was asked for before this, and what is yet to be done; or what of it leads to a recorded
  /// step.
  std::future<Course> course(std::optional<std::int64_t> to = std::nullopt);
  /// After an error: tries again.
  void resume();
  /// Gives up at once what is being computed and what waits to be; futures throw Cancelled.
  void cancel();

  RunnerStatus status() const;
  /// The simulation's thread calls this after each frame that it made and each change of what it does; must
  /// not block. Set before anything is asked for.
  void observe(std::function<void()> observer);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace isolume::simulation
