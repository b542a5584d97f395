#include "core/simulation/clock.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::simulation {
namespace {

double positive(double value, const char* what) {
  if (value > 0 && std::isfinite(value)) return value;
  throw Error(fmt::format("A {} of {} is not possible. Give a positive number.", what, value));
}

}  // namespace

void Clock::set_range(std::optional<Range> range) {
  if (range && !(std::isfinite(range->low) && std::isfinite(range->high) && range->low <= range->high)) {
    throw Error(fmt::format("Time cannot run from {} to {}.", range->low, range->high));
  }
  range_ = range;
  set_time(time_);
}

void Clock::set_rate(double rate) {
  rate_ = positive(rate, "rate");
}

void Clock::set_speed(double speed) {
  speed_ = positive(speed, "speed");
}

void Clock::set_time(double time) {
  if (!std::isfinite(time)) throw Error(fmt::format("A time of {} is not possible.", time));
  time_ = time;
  if (!range_) return;
  const auto [low, high] = *range_;
  if (at_end_ == AtEnd::loop && high > low && (time < low || time > high)) {
    const double passed = std::fmod(time - low, high - low);
    time_ = low + (passed < 0 ? passed + (high - low) : passed);
  }
  time_ = std::clamp(time_, low, high);
}

double Clock::fraction() const {
  if (!range_ || !(range_->high > range_->low)) return 0;
  return (time_ - range_->low) / (range_->high - range_->low);
}

bool Clock::at_its_end() const {
  return range_ && at_end_ == AtEnd::stop && time_ == (reversed_ ? range_->low : range_->high);
}

void Clock::play() {
  if (!playing_ && at_its_end()) time_ = reversed_ ? range_->high : range_->low;
  playing_ = true;
}

void Clock::advance(double seconds) {
  if (!playing_) return;
  set_time(time_ + direction() * seconds * rate_ * speed_);
  if (at_its_end()) pause();
}

}  // namespace isolume::simulation
