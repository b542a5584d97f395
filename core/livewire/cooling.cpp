#include "core/livewire/cooling.h"

#include <algorithm>

namespace isolume::livewire {

namespace {

/// A slow hand on a coarse grid moves to another pixel about this often.
constexpr double longest_pause_seconds = 0.25;

}  // namespace

void Cooling::time_passes(double time) {
  clock_ += std::max(0.0, std::min(time, runs_until_) - last_time_);
  last_time_ = std::max(last_time_, time);
}

void Cooling::pointer_moved_on(double time) {
  time_passes(time);
  runs_until_ = last_time_ + longest_pause_seconds;
}

void Cooling::wire_changed(const contours::Polyline& wire) {
  const auto [ours, theirs] = std::ranges::mismatch(wire_, wire);
  const auto same = static_cast<std::size_t>(theirs - wire.begin());
  wire_ = wire;
  since_.resize(same);
  since_.resize(wire.size(), clock_);
  length_px_.assign(wire.size(), 0);
  for (std::size_t i = 1; i < wire.size(); ++i)
    length_px_[i] = length_px_[i - 1] + (wire[i] - wire[i - 1]).norm();
}

void Cooling::cut(std::size_t index) {
  const auto ages = since_;
  const auto rest = contours::Polyline(wire_.begin() + static_cast<std::ptrdiff_t>(index), wire_.end());
  wire_changed(rest);
  std::copy(ages.begin() + static_cast<std::ptrdiff_t>(index), ages.end(), since_.begin());
}

void Cooling::clear() {
  wire_.clear();
  since_.clear();
  length_px_.clear();
}

std::size_t Cooling::freezable(double seconds, double least_px) const {
  for (std::size_t i = wire_.size(); i-- > 1;) {
    if (length_px_[i] < least_px) break;
    if (length_px_.back() - length_px_[i] >= least_px && age(i) >= seconds) return i;
  }
  return 0;
}

double Cooling::fraction(double seconds, double least_px) const {
  const auto first = std::ranges::lower_bound(length_px_, least_px);
  if (first == length_px_.end() || length_px_.back() - *first < least_px) return 0;
  if (seconds <= 0) return 1;
  return std::clamp(age(static_cast<std::size_t>(first - length_px_.begin())) / seconds, 0.0, 1.0);
}

}  // namespace isolume::livewire
