#pragma once

#include <optional>

namespace isolume::simulation {

/// The time of a display, in a unit of its own (femtoseconds, steps of a front, years): it runs forwards or
/// backwards, faster or slower, through a range or without end. It has no timer: the drawing code passes it
/// the elapsed seconds.
class Clock {
 public:
  enum class AtEnd { stop, loop };
  struct Range {
    double low, high;
  };

  /// Keeps the time as far as the range allows; empty: without ends. Throws Error if high < low or an end is
  /// not finite.
  void set_range(std::optional<Range> range);
  const std::optional<Range>& range() const { return range_; }
  void set_at_end(AtEnd at_end) { at_end_ = at_end; }
  AtEnd at_end() const { return at_end_; }
  /// Units of its time per second at speed 1. Throws Error unless positive.
  void set_rate(double rate);
  /// Speed relative to the rate. Throws Error unless positive.
  void set_speed(double speed);
  double speed() const { return speed_; }
  void set_reversed(bool reversed) { reversed_ = reversed; }
  bool reversed() const { return reversed_; }

  double time() const { return time_; }
  /// Clamps to the range, or wraps around in a loop. Throws Error unless finite.
  void set_time(double time);
  /// 0 at the low end, 1 at the high one; 0 without ends.
  double fraction() const;

  bool playing() const { return playing_; }
  /// Starts from the present time, or from the other end if it stands at the end towards which it runs.
  void play();
  void pause() { playing_ = false; }
  /// Advances a playing clock by `seconds`. Pauses at an end without a loop.
  void advance(double seconds);

 private:
  double direction() const { return reversed_ ? -1 : 1; }
  bool at_its_end() const;

  std::optional<Range> range_;
  AtEnd at_end_ = AtEnd::stop;
  double rate_ = 1, speed_ = 1, time_ = 0;
  bool reversed_ = false, playing_ = false;
};

}  // namespace isolume::simulation
