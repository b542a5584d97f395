#include "core/gaussians/boys_function.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

namespace isolume::gaussians {
namespace {

/// F_m(T) = exp(-T) sum_i (2T)^i / ((2m+1) (2m+3) ... (2m+2i+1)). All terms are positive, and the series
/// converges for every T.
double by_series(int order, double t) {
  double term = 1.0 / (2 * order + 1), sum = term;
  for (int i = 1; term > 1e-18 * sum; ++i) {
    term *= 2 * t / (2 * order + 2 * i + 1);
    sum += term;
  }
  return std::exp(-t) * sum;
}

struct alignas(64) BoysTable {
  double values[static_cast<std::size_t>(max_order + 1) * boys_rows * boys_terms];

  BoysTable() {
    for (int row = 0; row < boys_rows; ++row) {
      const double t = static_cast<double>(row) / boys_steps;
      constexpr int highest = max_order + boys_terms - 1;
      std::array<double, highest + 1> at;
      at[highest] = by_series(highest, t);
      for (int m = highest; m > 0; --m) at[m - 1] = (2 * t * at[m] + std::exp(-t)) / (2 * m - 1);
      for (int order = 0; order <= max_order; ++order) {
        // The derivative of F_m is -F_(m+1).
        double factor = 1;
        for (int k = 0; k < boys_terms; ++k) {
          values[(static_cast<std::size_t>(order) * boys_rows + row) * boys_terms + k] =
              factor * at[order + k];
          factor /= -(k + 1);
        }
      }
    }
  }
};

}  // namespace

const double* boys_table(int order) {
  static const std::unique_ptr<const BoysTable> table = std::make_unique<const BoysTable>();
  return table->values + static_cast<std::size_t>(order) * boys_rows * boys_terms;
}

void boys_function(double t, std::span<double> values) {
  const int order = static_cast<int>(values.size()) - 1;
  const double fallen = std::exp(-t);
  if (t >= boys_far) {
    values[0] = std::sqrt(std::numbers::pi / t) / 2;
    for (int m = 0; m < order; ++m) values[m + 1] = ((2 * m + 1) * values[m] - fallen) / (2 * t);
    return;
  }
  const int row = static_cast<int>(t * boys_steps + 0.5);
  const double* terms = boys_table(order) + static_cast<std::ptrdiff_t>(row) * boys_terms;
  const double from = t - static_cast<double>(row) / boys_steps;
  double sum = terms[boys_terms - 1];
  for (int k = boys_terms - 2; k >= 0; --k) sum = sum * from + terms[k];
  values[order] = sum;
  for (int m = order; m > 0; --m) values[m - 1] = (2 * t * values[m] + fallen) / (2 * m - 1);
}

}  // namespace isolume::gaussians
