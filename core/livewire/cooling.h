#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/contours/contour.h"

namespace isolume::livewire {

/// Age of the points of the live wire ("path cooling" of Mortensen and Barrett, Graph. Models Image Process. 60, 349,
/// 1998). The clock runs only while the pointer moves: a wire that stays because the hand rests is not evidence that
/// it is wanted.
class Cooling {
 public:
  /// Times are in seconds and must not decrease; a decreasing one counts as no time passing.
  void time_passes(double time);
  void pointer_moved_on(double time);
  /// A new live wire from the same seed: points that it shares with the previous one, from the seed on, keep their
  /// age.
  void wire_changed(const contours::Polyline& wire);
  /// The wire now begins at its point `index`.
  void cut(std::size_t index);
  void clear();

  /// Index of the last point that can be frozen: old enough, with at least `least_px` of the wire before it, and as
  /// much after it, since the user is still aiming near the pointer. 0 if there is none.
  std::size_t freezable(double seconds, double least_px) const;
  /// How close the first such piece is to being frozen, 0 to 1.
  double fraction(double seconds, double least_px) const;

 private:
  double age(std::size_t point) const { return clock_ - since_[point]; }
  double clock_ = 0;
  double last_time_ = std::numeric_limits<double>::lowest(), runs_until_ = last_time_;
  contours::Polyline wire_;
  std::vector<double> since_;      ///< clock time, for each point
  std::vector<double> length_px_;  ///< from the seed to each point
};

}  // namespace isolume::livewire
