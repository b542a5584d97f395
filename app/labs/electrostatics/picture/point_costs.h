#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace isolume::labs::electrostatics {

/// What a point of a map has cost lately, for each of several ways to find it: machines and engines differ. Several threads
/// may use it.
class PointCosts {
 public:
  /// Of sums on a grid that took long enough to be told by the clock; others are left out.
  void record(int way, std::size_t points, double seconds);
  /// In seconds; `first_guess` before anything was recorded.
  double of(int way, double first_guess) const;

 private:
  mutable std::mutex mutex_;
  std::map<int, double> seconds_;
};

}  // namespace isolume::labs::electrostatics
