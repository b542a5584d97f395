#pragma once

#include <cstdint>
#include <optional>

#include "core/simulation/clock.h"
#include "core/simulation/runner.h"

namespace isolume::simulation {

/// Plays a runner's simulation by a clock whose time is in steps: forwards, at most as fast as it is
/// computed, and backwards through the record, and on before its start if the simulation is reversible. For
/// the drawing thread.
class Player {
 public:
  /// `steps_per_second` at speed 1. The runner must outlive the player.
  explicit Player(Runner& runner, double steps_per_second = 60);

  /// `seconds` have elapsed since the last frame was drawn. Returns the frame to draw now, null before the
  /// first frame exists. Never waits: while a frame is being computed, the previous one and the clock stay.
  /// The clock catches up with at most a quarter of a second of that, so that steps of unequal duration keep
  /// its pace.
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
  /// Pauses, and moves by a number of frames; steps past the ends of the record are shown once they are
  /// computed.
  void step(std::int64_t frames);
  /// Whether all elapsed time is played, however long that takes to compute, as movies need it; otherwise the
  /// clock stands still at an end of the record until that has moved on.
  void set_patient(bool patient) { patient_ = patient; }
  /// Whether tick() returned the frame at the clock's time, and no other one is to come.
  bool arrived() const { return !waiting_ && !to_come_; }
  /// Moves to a recorded step, or to the nearest one.
  void scrub(std::int64_t step);
  /// Whether the end of the record is shown, where the simulation continues.
  bool live() const;
  /// Cancels the running computation at once, and pauses.
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
  bool waiting_ = false;  ///< for the frame at the clock's time
  bool patient_ = false;
  double behind_ = 0;  ///< seconds to catch up with
  std::optional<std::int64_t> to_come_ =
      {};  ///< a step past an end of the record, to be shown once it exists
};

}  // namespace isolume::simulation
