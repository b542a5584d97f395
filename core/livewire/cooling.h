#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/contours/contour.h"

namespace isolume::livewire {

/// How long the points of the live wire have been part of it ("path cooling" of Mortensen and Barrett, Graph.
/// Models Image Process. 60, 349, 1998). The clock runs only while the pointer moves on: a wire that stays
/// because the hand rests says nothing about whether it is wanted.
class Cooling {
 public:
  /// Times are in seconds and never fall; one that does counts as standing still.
  void time_passes(double time);
  void pointer_moved_on(double time);
  /// A new live wire from the same seed: points that it shares with the one before, from the seed on, keep
  /// their age.
  void wire_changed(const contours::Polyline& wire);
  /// The wire now begins at its point `index`.
  void cut(std::size_t index);
  void clear();

  /// The last point that can be frozen: old enough, at least `least_px` of the wire before it, and as much
  /// after it, as what is near the pointer is still being aimed at. 0 where there is none.
  std::size_t freezable(double seconds, double least_px) const;
  /// How near the first such piece is to its age, 0 to 1.
  double fraction(double seconds, double least_px) const;

 private:
  double age(std::size_t point) const { return clock_ - since_[point]; }
  double clock_ = 0;
  double last_time_ = std::numeric_limits<double>::lowest(), runs_until_ = last_time_;
  contours::Polyline wire_;
  std::vector<double> since_;      ///< by the clock, for each point
  std::vector<double> length_px_;  ///< from the seed to each point
};

}  // namespace isolume::livewire
