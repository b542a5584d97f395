#include "app/fields/chart_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/round_numbers.h"
#include "core/base/shown_number.h"

namespace isolume::fields {

double ChartScale::height(double value) const {
  return ground > 0 ? std::log10(std::max(value, ground)) : value;
}

ChartScale chart_scale(const Chart::Data& data, const std::pair<double, double>& range, const QRectF& area) {
  ChartScale result{area,
                    range.first,
                    range.second,
                    std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity(),
                    data.ground};
  const bool all = data.shape == Chart::Shape::bars;  // the heights of bars are compared
  for (const auto* values : curves_of(data)) {
    for (std::size_t i = 0; i < values->size(); ++i) {
      const double value = (*values)[i], x = chart_x(data, i);
      if (!std::isfinite(value) || (!all && (x < range.first || x > range.second))) continue;
      result.y_low = std::min(result.y_low, result.height(value));
      result.y_high = std::max(result.y_high, result.height(value));
    }
  }
  if (all) result.y_low = result.height(0);
  if (!all && data.ground > 0) {
    result.y_low = std::floor(result.y_low);
    result.y_high = std::ceil(result.y_high);
  }
  if (!(result.y_high > result.y_low)) {
    if (!std::isfinite(result.y_low)) result.y_low = 0;
    result.y_high = result.y_low + 1;
  }
  return result;
}

double chart_x(const Chart::Data& data, std::size_t index) {
  const double whole = data.high > data.low ? data.high - data.low : 1;
  const auto last = static_cast<double>(data.values.size()) - 1;
  return data.low + whole * static_cast<double>(index) / std::max(1.0, last);
}

const CurveStroke& curve_stroke(std::size_t number) {
  static const std::array<CurveStroke, 5> all{{{"#0072b2", {}},
                                               {"#e69f00", {5, 2}},
                                               {"#009e73", {1.5, 1.5}},
                                               {"#cc79a7", {6, 2, 1.5, 2}},
                                               {"#56b4e9", {9, 3}}}};
  return all[number % all.size()];
}

std::vector<const std::vector<double>*> curves_of(const Chart::Data& data) {
  std::vector<const std::vector<double>*> all{&data.values};
  for (const auto& each : data.others) all.push_back(&each.values);
  return all;
}

QStringList legend_of(const Chart::Data& data) {
  QStringList names;
  if (data.others.empty()) return names;
  names += data.name;
  for (const auto& each : data.others) names += each.name;
  return names;
}

QString number_text(double value) {
  constexpr double rounding = 1e-9;  // tolerance for rounding of powers of ten
  const bool whole =
      std::abs(value) < 1e6 && std::abs(value - std::round(value)) <= rounding * std::abs(value);
  return QString::fromStdString(shown_reading(whole ? std::round(value) : value));
}

std::vector<double> round_ticks(double low, double high, int most) {
  std::vector<double> found;
  if (!(high > low) || most < 1) return found;
  const double step = rounded_up((high - low) / most);
  for (double tick = std::ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step)
    found.push_back(std::abs(tick) < 1e-9 * step ? 0 : tick);
  return found;
}

std::vector<double> axis_ticks(double low, double high, int most, bool logarithmic) {
  std::vector<double> ticks = round_ticks(low, high, most);
  if (!logarithmic) return ticks;
  constexpr double nothing = 1e-9;  // tolerance, as ticks are sums of steps
  std::erase_if(ticks, [](double tick) { return std::abs(tick - std::round(tick)) > nothing; });
  if (ticks.size() > 1) return ticks;
  const double first = std::ceil(low - nothing), last = std::floor(high + nothing);
  if (last - first > 1) {  // fewer than two multiples of the round step, but many decades
    ticks.clear();
    const double step = std::ceil((last - first) / std::max(1, most - 1));
    for (double tick = first; tick <= last; tick += step) ticks.push_back(tick);
    return ticks;
  }
  std::vector<double> within;  // within a decade, as thirds of its logarithm are not round numbers
  for (double decade = std::floor(low); decade <= high; ++decade) {
    for (const double first_digit : {1, 2, 5}) {
      const double tick = decade + std::log10(first_digit);
      if (tick >= low - nothing && tick <= high + nothing) within.push_back(tick);
    }
  }
  if (within.size() > 1 || !(high > low)) return within;
  within = round_ticks(std::pow(10, low), std::pow(10, high), most);
  for (double& tick : within) tick = std::log10(tick);
  return within;
}

QString named_with_unit(const QString& name, const QString& unit) {
  return unit.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, unit);
}

}  // namespace isolume::fields
