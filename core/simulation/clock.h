#pragma once

#include <optional>

namespace isolume::simulation {

/// Time that runs for what is shown, in a unit of its own (femtoseconds, steps of a front, years): forth or
/// back, faster or slower, through a range or without end. It has no timer: whoever draws frames tells it how
/// many seconds went by.
class Clock {
 public:
  enum class AtEnd { stop, loop };
  struct Range {
    double low, high;
  };

  /// Stays where it is, as far as the range allows; nothing: without ends. Throws Error where high < low or
  /// an end is not finite.
  void set_range(std::optional<Range> range);
  const std::optional<Range>& range() const { return range_; }
  void set_at_end(AtEnd at_end) { at_end_ = at_end; }
  AtEnd at_end() const { return at_end_; }
  /// Units of its time a second at speed 1. Throws Error unless positive.
  void set_rate(double rate);
  /// How much faster it runs than that. Throws Error unless positive.
  void set_speed(double speed);
  double speed() const { return speed_; }
  void set_reversed(bool reversed) { reversed_ = reversed; }
  bool reversed() const { return reversed_; }

  double time() const { return time_; }
  /// Into the range: a loop's time comes in again at the other end, another one stays at its end. Throws
  /// Error unless finite.
  void set_time(double time);
  /// 0 at the low end, 1 at the high one; 0 without ends.
  double fraction() const;

  bool playing() const { return playing_; }
  /// From where it is; from the other end when it stands at the end that it runs to.
  void play();
  void pause() { playing_ = false; }
  /// `seconds` went by: time runs on while it plays. Pauses at an end that it stops at.
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
