#include "core/base/round_numbers.h"

#include <array>
#include <cmath>

namespace isolume {
namespace {

constexpr std::array<double, 3> steps{1, 2, 5};
constexpr double rounding = 1e-9;  // 0.2 computed as 2 * 10^-1 must count as round

}  // namespace

double rounded_up(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double step : steps) {
    if (step * decade >= value * (1 - rounding)) return step * decade;
  }
  return 10 * decade;
}

double rounded_down(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value) + rounding));
  double found = decade;
  for (const double step : steps) {
    if (step * decade <= value * (1 + rounding)) found = step * decade;
  }
  return found;
}

}  // namespace isolume
