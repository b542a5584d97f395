#pragma once

#include <cstdint>
#include <optional>

#include "core/simulation/clock.h"
#include "core/simulation/runner.h"

namespace isolume::simulation {

/// Plays a runner's simulation by the clock, whose time is in steps: forth, as fast as it is computed at
/// most; back through what is recorded, and on before its start where the simulation can. For the thread that
/// draws.
class Player {
 public:
  /// `steps_per_second` at speed 1. The runner must outlive the player.
  explicit Player(Runner& runner, double steps_per_second = 60);

  /// `seconds` went by since the last frame was drawn: what to draw now, null before the first frame has been
  /// made. Never waits; while a frame is being computed the one before stays, and the clock with it, which makes up for a
  /// quarter of a second of that at most, so that steps that take turns longer and shorter keep its pace.
  FramePointer tick(double seconds);
  const FramePointer& shown() const { return shown_; }

  const Clock& clock() const { return clock_; }
  bool playing() const { return clock_.playing(); }
  bool reversed() const { return clock_.reversed(); }
  void play() { clock_.play(); }
  void pause() { clock_.pause(); }
  void set_reversed(bool reversed) { clock_.set_reversed(reversed); }
  /// Throws Error unless positive.
  void set_speed(double speed) { clock_.set_speed(speed); }
  /// Pauses, and goes by so many frames; past the ends of what is recorded, too, once those are computed.
  void step(std::int64_t frames);
  /// Whether all of the time that goes by is played, however long that takes to compute, as movies want it; else the clock
  /// stands still at an end of the record until that has moved on.
  void set_patient(bool patient) { patient_ = patient; }
  /// Whether what tick() returned is what the clock stands at, and nothing else is to come.
  bool arrived() const { return !waiting_ && !to_come_; }
  /// To a recorded step, the nearest where it is none.
  void scrub(std::int64_t step);
  /// To the end of the record, where the simulation goes on.
  void go_live();
  /// Whether that is what is shown.
  bool live() const;
  /// Gives up at once what is being computed, and pauses.
  void cancel();

 private:
  void run_clock(double seconds, const Recorded& recorded);
  void wait_past_ends(const Recorded& recorded);
  void stop_at_ends(const Recorded& recorded);
  std::int64_t frame_at(double time, const Recorded& recorded) const;
  std::optional<std::int64_t> ahead(const Recorded& recorded) const;

  Runner& runner_;
  Clock clock_;
  FramePointer shown_;
  std::uint64_t shown_epoch_ = 0;
  bool waiting_ = false;  ///< for the frame that the clock stands at
  bool patient_ = false;
  double behind_ = 0;  ///< seconds to be made up for
  std::optional<std::int64_t> to_come_ =
      {};  ///< a step past an end of the record, to be shown when it is there
};

}  // namespace isolume::simulation
