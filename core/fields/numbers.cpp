#include "core/fields/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isolume::fields {

std::optional<double> value_at(const lattice::ScalarField& field, const Eigen::Vector3d& place) {
  const auto& lattice = field.lattice;
  const Eigen::Vector3d in_unit = place / lattice::shown_per_unit(lattice.unit);
  const Eigen::Vector3d index = lattice.index_of(in_unit);
  for (int axis = 0; axis < 3; ++axis) {
    constexpr double on_edge = 1e-9;
    if (!(index[axis] >= -on_edge && index[axis] <= lattice.dimensions[axis] - 1 + on_edge))
      return std::nullopt;
  }
  return lattice::interpolate(field, in_unit);
}

Profile profile(const lattice::ScalarField& field, const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                std::size_t count) {
  Profile found{(to - from).norm(), {}};
  found.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    found.values.push_back(
        value_at(field, from + part * (to - from)).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return found;
}

namespace {

/// Of what `measure` makes of the values; NaN is left out.
template <class Measure>
Histogram counted(const lattice::ScalarField& field, double low, double high, std::size_t bins,
                  const jobs::Progress& progress, const Measure& measure) {
  constexpr std::size_t between_checks = 1 << 20;
  Histogram found{low, high, false, std::vector<std::size_t>(bins, 0), 0};
  const double extent = high > low ? high - low : 1;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (i % between_checks == 0) progress.check();
    const double value = measure(field.values[i]);
    if (!std::isfinite(value) || value < low) {
      ++found.left_out;
      continue;
    }
    const auto bin = static_cast<std::size_t>((value - low) / extent * static_cast<double>(bins));
    ++found.counts[std::min(bin, bins - 1)];
  }
  return found;
}

}  // namespace

Histogram histogram(const lattice::ScalarField& field, std::size_t bins, const jobs::Progress& progress) {
  const auto range = lattice::value_range(field);
  return counted(field, range.low, range.high, bins, progress,
                 [](float value) { return static_cast<double>(value); });
}

Histogram logarithmic_histogram(const lattice::ScalarField& field, std::size_t bins,
                                const jobs::Progress& progress) {
  constexpr double decades = 8;
  const auto range = lattice::value_range(field);
  const double high = range.high > 0 ? std::log10(range.high) : 0;
  auto found = counted(field, high - decades, high, bins, progress,
                       [](float value) { return std::log10(static_cast<double>(value)); });
  found.logarithmic = true;
  return found;
}

}  // namespace isolume::fields
