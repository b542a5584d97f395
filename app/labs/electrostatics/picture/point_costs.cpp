#include "app/labs/electrostatics/picture/point_costs.h"

namespace isolume::labs::electrostatics {

void PointCosts::record(int way, std::size_t points, double seconds) {
  constexpr double least_seconds = 2e-3;
  if (points == 0 || seconds < least_seconds) return;
  const std::scoped_lock lock(mutex_);
  seconds_[way] = seconds / static_cast<double>(points);
}

double PointCosts::of(int way, double first_guess) const {
  const std::scoped_lock lock(mutex_);
  const auto known = seconds_.find(way);
  return known != seconds_.end() ? known->second : first_guess;
}

}  // namespace isolume::labs::electrostatics
