#include "app/workbench/parameters/slider_scale.h"

#include <algorithm>
#include <cmath>

namespace isolume::workbench {
namespace {

double round_to(double value, double step) {
  return std::round(value / step) * step;
}

/// The largest power of ten not above `value`.
double power_of_ten_below(double value) {
  return std::pow(10.0, std::floor(std::log10(value)));
}

}  // namespace

SliderScale::SliderScale(const parameters::Description& description)
    : low_(description.usual ? description.usual->low : description.low),
      high_(description.usual ? description.usual->high : description.high),
      logarithmic_(description.scale == parameters::Scale::logarithmic && low_ > 0),
      integer_(description.kind == parameters::Kind::integer),
      last_(integer_ && high_ - low_ <= positions ? static_cast<int>(high_ - low_) : positions) {}

bool SliderScale::fits(const parameters::Description& description) {
  const bool number =
      description.kind == parameters::Kind::real || description.kind == parameters::Kind::integer;
  // A wider linear range is a limit rather than a choice: on a slider all sensible values would share one
  // position.
  constexpr double widest_linear = 1000;
  if (number && description.usual) return true;
  const double range = description.high - description.low;
  return number && std::isfinite(range) && range > 0 &&
         (description.scale == parameters::Scale::logarithmic || range <= widest_linear);
}

double SliderScale::value(int position) const {
  if (position <= 0) return low_;
  if (position >= last_) return high_;
  const double part = static_cast<double>(position) / last_;
  if (logarithmic_) {
    const double exact = low_ * std::pow(high_ / low_, part);
    const double rounded = round_to(exact, power_of_ten_below(exact) / 100);
    return std::clamp(integer_ ? std::round(rounded) : rounded, low_, high_);
  }
  const double exact = low_ + (high_ - low_) * part;
  const double step = integer_ ? 1.0 : power_of_ten_below((high_ - low_) / last_);
  return std::clamp(round_to(exact, step), low_, high_);
}

int SliderScale::position(double value) const {
  const double within = std::clamp(value, low_, high_);
  const double part =
      logarithmic_ ? std::log(within / low_) / std::log(high_ / low_) : (within - low_) / (high_ - low_);
  return static_cast<int>(std::lround(part * last_));
}

}  // namespace isolume::workbench
