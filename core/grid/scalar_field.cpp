#include "core/grid/scalar_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/LU>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/logging.h"
#include "core/grid/face_values.h"
#include "core/grid/magnitude_bins.h"

namespace isolume::grid {
namespace {

/// Asks the device if the values are only there; otherwise, or if the device cannot, computes on the host.
template <class OnDevice, class OnHost>
auto where_they_are(const ScalarField& field, const OnDevice& on_device, const OnHost& on_host) {
  if (field.values.on_device_only()) {
    try {
      return on_device(*field.values.device());
    } catch (const Error& error) {
      log::warning("A device could not report on its field: {}", error.what());
    }
  }
  return on_host();
}

Range host_range(const ScalarField& field) {
  Range range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (const float value : field.values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (range.low > range.high) return {0, 0};
  return range;
}

std::vector<float> host_magnitudes_on_faces(const ScalarField& field) {
  const auto& n = field.grid.dimensions;
  std::vector<float> sizes;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      const bool whole_row = k == 0 || k == n[2] - 1 || j == 0 || j == n[1] - 1;
      for (int i = 0; i < n[0]; i += whole_row ? 1 : std::max(1, n[0] - 1)) {
        const float size = std::abs(field.at(i, j, k));
        if (std::isfinite(size)) sizes.push_back(size);
      }
    }
  }
  return sizes;
}

std::vector<float> magnitudes_on_faces(const ScalarField& field) {
  return where_they_are(
      field, [](const DeviceField& device) { return device.magnitudes_on_faces(); },
      [&] { return host_magnitudes_on_faces(field); });
}

}  // namespace

Range value_range(const ScalarField& field) {
  return where_they_are(
      field, [](const DeviceField& device) { return device.value_range(); },
      [&] { return host_range(field); });
}

double largest_on_faces(const ScalarField& field) {
  double largest = 0;
  for (const float size : magnitudes_on_faces(field)) {
    if (std::isfinite(size)) largest = std::max(largest, static_cast<double>(size));
  }
  return largest;
}

double median_on_faces(const ScalarField& field) {
  auto sizes = magnitudes_on_faces(field);
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

double integral(const ScalarField& field) {
  return std::accumulate(field.values.begin(), field.values.end(), 0.0) * field.grid.cell_volume();
}

double inner_product(const ScalarField& a, const ScalarField& b) {
  if (!(a.grid == b.grid)) throw Error("Two fields on different grids cannot be multiplied.");
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += static_cast<double>(a.values[i]) * b.values[i];
  return sum * a.grid.cell_volume();
}

double interpolate(const ScalarField& field, const Eigen::Vector3d& place) {
  constexpr double on_edge = 1e-9;  // rounding in index_of must not push a border point outside
  Eigen::Vector3d index = field.grid.index_at(place);
  for (int axis = 0; axis < 3; ++axis) {
    const int last = field.grid.dimensions[axis] - 1;
    if (!(index[axis] >= -on_edge && index[axis] <= last + on_edge)) return 0;
    index[axis] = std::clamp<double>(index[axis], 0, last);
  }
  return interpolate_at_index(field, index);
}

double interpolate_at_index(const ScalarField& field, const Eigen::Vector3d& index) {
  std::array<int, 3> low{};
  Eigen::Vector3d part;
  for (int axis = 0; axis < 3; ++axis) {
    const int last = field.grid.dimensions[axis] - 1;
    low[axis] = std::clamp(static_cast<int>(index[axis]), 0, std::max(0, last - 1));
    part[axis] = index[axis] - low[axis];
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::array<int, 3> at = low;
    for (int axis = 0; axis < 3; ++axis) {
      const bool upper = (corner >> axis) & 1;
      weight *= upper ? part[axis] : 1 - part[axis];
      at[axis] = std::min(low[axis] + (upper ? 1 : 0), field.grid.dimensions[axis] - 1);
    }
    if (weight != 0) sum += weight * field.at(at[0], at[1], at[2]);
  }
  return sum;
}

std::vector<float> every(const ScalarField& field, std::size_t stride) {
  return where_they_are(
      field, [&](const DeviceField& device) { return device.every(stride); },
      [&] {
        std::vector<float> values;
        for (std::size_t i = 0; i < field.values.size(); i += stride) values.push_back(field.values[i]);
        return values;
      });
}

namespace {

float on_plane(const ScalarField& field, Eigen::Vector3d index) {
  constexpr double on_edge = 0.5;
  for (int axis = 0; axis < 3; ++axis) {
    const int last = field.grid.dimensions[axis] - 1;
    if (!(index[axis] >= -on_edge && index[axis] <= last + on_edge))
      return std::numeric_limits<float>::quiet_NaN();
    index[axis] = std::clamp<double>(index[axis], 0, last);
  }
  return static_cast<float>(interpolate_at_index(field, index));
}

std::vector<float> sample_on_host(const ScalarField& field, const PlaneGrid& plane) {
  const Eigen::Matrix3d to_steps = field.grid.step.inverse();
  const Eigen::Vector3d corner = field.grid.index_at(plane.corner), along = to_steps * plane.along,
                        across = to_steps * plane.across;
  std::vector<float> values(plane.size());
  field.values.data();  // copied from a device once, not by every thread
  handover::parallel_for(tbb::blocked_range<int>(0, plane.rows, 16), [&](const auto& rows) {
    for (int j = rows.begin(); j != rows.end(); ++j) {
      const auto first = static_cast<std::size_t>(j) * static_cast<std::size_t>(plane.columns);
      for (int i = 0; i < plane.columns; ++i)
        values[first + static_cast<std::size_t>(i)] = on_plane(field, corner + i * along + j * across);
    }
  });
  return values;
}

}  // namespace

std::vector<float> sample_plane(const ScalarField& field, const PlaneGrid& plane) {
  return where_they_are(
      field, [&](const DeviceField& device) { return device.sample(plane); },
      [&] { return sample_on_host(field, plane); });
}

namespace {

/// Integral of d by magnitude: a histogram over log2|value|, built in one pass; sorting millions of values
/// would take seconds.
class MagnitudeHistogram {
 public:
  MagnitudeHistogram(const ScalarField& field, bool squared) {
    where_they_are(
        field,
        [&](const DeviceField& device) {
          bins_ = device.weights_by_magnitude(squared);
          total_ = std::accumulate(bins_.begin(), bins_.end(), 0.0);
        },
        [&] { count(field, squared); });
  }
  double total() const { return total_; }
  double threshold(double fraction) const {
    double held = 0;
    for (std::size_t bin = bins_.size(); bin-- > 0;) {
      const double next = held + bins_[bin];
      if (next >= fraction * total_) {
        const double inside = bins_[bin] > 0 ? (fraction * total_ - held) / bins_[bin] : 0;
        return edge(static_cast<double>(bin + 1) - inside);
      }
      held = next;
    }
    return edge(0);
  }
  static double edge(double bin) {
    return std::exp2(magnitude_bins::lowest_octave + bin / magnitude_bins::per_octave);
  }

 private:
  void count(const ScalarField& field, bool squared) {
    bins_.assign(magnitude_bins::count, 0.0);
    for (const float value : field.values) {
      const float magnitude = std::abs(value);
      if (!(magnitude > 0) || !std::isfinite(magnitude)) continue;
      const double weight = squared ? static_cast<double>(magnitude) * magnitude : magnitude;
      bins_[bin_of(magnitude)] += weight;
      total_ += weight;
    }
  }
  static std::size_t bin_of(float magnitude) {
    const double bin = (std::log2(magnitude) - magnitude_bins::lowest_octave) * magnitude_bins::per_octave;
    return static_cast<std::size_t>(std::clamp(bin, 0.0, magnitude_bins::count - 1.0));
  }
  std::vector<double> bins_;
  double total_ = 0;
};

}  // namespace

double isovalue_enclosing(const ScalarField& field, double fraction, bool squared) {
  return isovalues_enclosing(field, {&fraction, 1}, squared).front();
}

std::vector<double> isovalues_enclosing(const ScalarField& field, std::span<const double> fractions,
                                        bool squared) {
  const MagnitudeHistogram histogram(field, squared);
  std::vector<double> isovalues(fractions.size(), 0.0);
  if (histogram.total() == 0) return isovalues;
  std::ranges::transform(fractions, isovalues.begin(), [&](double fraction) {
    return histogram.threshold(std::clamp(fraction, 1e-6, 1 - 1e-6));
  });
  return isovalues;
}

double fraction_enclosed(const ScalarField& field, double isovalue, bool squared) {
  const auto weights = where_they_are(
      field, [&](const DeviceField& device) { return device.weights_inside(isovalue, squared); },
      [&] {
        DeviceField::Weights sums;
        for (const float value : field.values) {
          const double magnitude = std::abs(value);
          const double weight = squared ? magnitude * magnitude : magnitude;
          sums.all += weight;
          if (magnitude >= isovalue) sums.inside += weight;
        }
        return sums;
      });
  return weights.all > 0 ? weights.inside / weights.all : 0;
}

}  // namespace isolume::grid
