#include "core/tomography/corrections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/tomography/fdk.h"

namespace isolume::tomography {
namespace {

using Indices = tbb::blocked_range<int>;

/// Line integrals of the plane of rotation, by the order of angles.
class Fans {
 public:
  explicit Fans(const Projections& of) : geometry_(of.geometry), arc_(arc_of(of.geometry)) {
    const auto count = arc_.order.size();
    for (std::size_t rank = 0; rank < count; ++rank) {
      const int index = arc_.order[rank];
      angles_.push_back(arc_.angles[static_cast<std::size_t>(index)]);
      const View& view = geometry_.views[static_cast<std::size_t>(index)];
      const Eigen::Vector3d middle = matrix_of(view, geometry_.beam) * Eigen::Vector4d(0, 0, 0, 1);
      const double v = std::clamp(middle[1] / middle[2], 0.0, geometry_.rows - 1.0);
      const int row = std::min(static_cast<int>(v), std::max(0, geometry_.rows - 2));
      const auto part = static_cast<float>(v - row);
      for (int u = 0; u < geometry_.columns; ++u) {
        const float* column = of.column(index, u);
        values_.push_back(geometry_.rows > 1 ? (1 - part) * column[row] + part * column[row + 1] : column[0]);
      }
    }
  }

  /// The mean squared difference of rays measured twice, for an axis that lies `shift` pixels farther; the part of rays
  /// that have a partner.
  std::pair<double, double> mismatch(double shift) const {
    const auto columns = static_cast<std::size_t>(geometry_.columns);
    double sum = 0;
    std::size_t pairs = 0;
    const View& first = geometry_.views[static_cast<std::size_t>(arc_.order.front())];
    for (std::size_t u = 0; u < columns; ++u) {
      // Seen from the other side, the ray lies as far to the left.
      const RayPlace place = ray_place(first, geometry_.beam, static_cast<double>(u) - shift);
      const RayPlace next = ray_place(first, geometry_.beam, static_cast<double>(u) - shift + 1);
      const double step = next.sideways_mm - place.sideways_mm;
      const double partner = static_cast<double>(u) - 2 * place.sideways_mm / step;
      if (!(partner >= 0 && partner <= static_cast<double>(columns - 1))) continue;
      for (std::size_t rank = 0; rank < angles_.size(); ++rank) {
        // A ray to the right has turned clockwise.
        double turned = angles_[rank] + std::numbers::pi - 2 * place.angle;
        if (arc_.is_whole) turned = std::fmod(turned + 4 * std::numbers::pi, 2 * std::numbers::pi);
        const double difference = static_cast<double>(values_[rank * columns + u]) - at(turned, partner);
        if (!std::isfinite(difference)) continue;
        sum += difference * difference;
        ++pairs;
      }
    }
    const double all = static_cast<double>(columns * angles_.size());
    return {pairs > 0 ? sum / static_cast<double>(pairs) : std::numeric_limits<double>::infinity(),
            static_cast<double>(pairs) / all};
  }

  double twice_measured() const {
    return arc_.is_whole ? 2 * std::numbers::pi : arc_.length - std::numbers::pi;
  }

 private:
  /// Bilinear between views and columns; NaN outside the arc.
  double at(double angle, double u) const {
    const auto count = angles_.size();
    const auto after = static_cast<std::size_t>(std::ranges::upper_bound(angles_, angle) - angles_.begin());
    std::size_t low = after - 1, high = after;
    double part = 0;
    if (after == 0 || after == count) {
      if (!arc_.is_whole) return std::numeric_limits<double>::quiet_NaN();
      low = count - 1;
      high = 0;
      const double gap = angles_.front() + 2 * std::numbers::pi - angles_.back();
      part = (after == 0 ? angle + 2 * std::numbers::pi - angles_.back() : angle - angles_.back()) / gap;
    } else {
      part = (angle - angles_[low]) / (angles_[high] - angles_[low]);
    }
    const auto columns = static_cast<std::size_t>(geometry_.columns);
    const auto cell = std::min(static_cast<std::size_t>(u), columns - 2);
    const double across = u - static_cast<double>(cell);
    const auto of_view = [&](std::size_t rank) {
      const float* row = values_.data() + rank * columns + cell;
      return (1 - across) * static_cast<double>(row[0]) + across * static_cast<double>(row[1]);
    };
    return (1 - part) * of_view(low) + part * of_view(high);
  }

  const Geometry& geometry_;
  ViewArc arc_;
  std::vector<double> angles_;  ///< ascending
  std::vector<float> values_;   ///< view by view
};

}  // namespace

double find_axis_shift(const Projections& projections, const jobs::Progress& progress) {
  require_valid(projections.geometry);
  require_circle(projections.geometry);
  const Fans fans(projections);
  constexpr double least_overlap = 20 * std::numbers::pi / 180;
  if (projections.geometry.columns < 8 || fans.twice_measured() < least_overlap) {
    throw Error(
        "The axis of rotation cannot be found: too few rays are measured from two sides. Use a scan of a whole turn, or "
        "set the axis by hand.");
  }
  const double range = projections.geometry.columns / 8.0;
  // Steps of half a pixel, then of a twentieth and of a two-hundredth about the best.
  double best = 0;
  double around = range;
  for (const double step : {0.5, 0.05, 0.005}) {
    const int count = static_cast<int>(std::floor(around / step));
    std::vector<double> mismatches(static_cast<std::size_t>(2 * count + 1));
    handover::parallel_for(Indices(-count, count + 1), [&](const Indices& part) {
      for (int i = part.begin(); i != part.end(); ++i) {
        if (progress.cancelled()) return;
        mismatches[static_cast<std::size_t>(i + count)] = fans.mismatch(best + i * step).first;
      }
    });
    progress.check();
    if (step == 0.5) {
      // An axis has one clear minimum within the range.
      const auto least = std::ranges::min_element(mismatches);
      std::vector<double> sorted = mismatches;
      std::ranges::nth_element(sorted, sorted.begin() + count);
      const bool is_inside = least != mismatches.begin() && least != mismatches.end() - 1;
      if (!(is_inside && std::isfinite(*least) && *least < 0.9 * sorted[static_cast<std::size_t>(count)])) {
        throw Error(fmt::format(
            "The axis of rotation cannot be found within {:.0f} pixels of where the geometry states it: opposite rays "
            "agree nowhere. Check the geometry, or set the axis by hand.",
            range));
      }
    }
    best += step * static_cast<double>(std::ranges::min_element(mismatches) - mismatches.begin() - count);
    around = 2 * step;
  }
  return best;
}

void remove_rings(Projections& projections, int width) {
  const Geometry& geometry = projections.geometry;
  const int columns = geometry.columns, views = static_cast<int>(geometry.views.size()), half = width / 2;
  handover::parallel_for(Indices(0, geometry.rows), [&](const Indices& part) {
    std::vector<float> means(static_cast<std::size_t>(columns)), near;
    for (int v = part.begin(); v != part.end(); ++v) {
      for (int u = 0; u < columns; ++u) {
        double sum = 0;
        for (int i = 0; i < views; ++i) sum += static_cast<double>(projections.column(i, u)[v]);
        means[static_cast<std::size_t>(u)] = static_cast<float>(sum / views);
      }
      for (int u = 0; u < columns; ++u) {
        // Fewer pixels at the edge, the same number on both sides.
        const int reach = std::min({half, u, columns - 1 - u});
        near.assign(means.begin() + (u - reach), means.begin() + (u + reach + 1));
        std::ranges::nth_element(near, near.begin() + reach);
        const float ring = means[static_cast<std::size_t>(u)] - near[static_cast<std::size_t>(reach)];
        for (int i = 0; i < views; ++i) projections.column(i, u)[v] -= ring;
      }
    }
  });
}

void straighten(Projections& projections, double factor) {
  const auto by = static_cast<float>(factor);
  const Geometry& geometry = projections.geometry;
  handover::parallel_for(Indices(0, static_cast<int>(geometry.views.size())), [&](const Indices& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      for (int u = 0; u < geometry.columns; ++u) {
        float* column = projections.column(i, u);
        for (int v = 0; v < geometry.rows; ++v) column[v] += by * column[v] * column[v];
      }
    }
  });
}

}  // namespace isolume::tomography
