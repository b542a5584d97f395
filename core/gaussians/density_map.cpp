#include "core/gaussians/density_map.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/memory.h"
#include "core/grid/point_number.h"

namespace isolume::gaussians {
namespace {

/// A Gaussian with the distance from its centre beyond which it adds less than its share of the tolerance.
struct Reaching {
  const HermiteGaussian* gaussian;
  const double* coefficients;
  double reach_bohr;
};

/// Cramer's inequality, |H_n(x)| exp(-x^2 / 2) <= 1.0865 sqrt(2^n n!), applied to each of the three factors
/// of a derivative, leaves exp(-p r^2 / 2) of the Gaussian.
double reach_of(const HermiteGaussian& gaussian, const double* coefficients, double share) {
  constexpr double cramer = 1.0865;
  const auto& triples = triple_index(gaussian.order).triples();
  double bound = 0;
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const auto [t, u, v] = triples[i];
    bound += std::abs(coefficients[i]) * std::pow(2 * gaussian.exponent, 0.5 * (t + u + v)) *
             std::sqrt(std::tgamma(t + 1.0) * std::tgamma(u + 1.0) * std::tgamma(v + 1.0));
  }
  const double kept = gaussian.order == 0 ? 1 : 0.5;
  if (gaussian.order > 0) bound *= cramer * cramer * cramer;
  return bound <= share ? 0 : std::sqrt(std::log(bound / share) / (kept * gaussian.exponent));
}

std::vector<Reaching> reaching(const HermiteDensity& density, double tolerance) {
  std::vector<Reaching> all;
  const double share = tolerance / static_cast<double>(std::max<std::size_t>(1, density.gaussians.size()));
  for (const auto& each : density.gaussians) {
    const double* coefficients = density.coefficients.data() + each.first;
    all.push_back({&each, coefficients, reach_of(each, coefficients, share)});
  }
  return all;
}

/// (d/dP)^n exp(-p x^2) for n up to `order`, with x the distance from P. With d_n for the n-th,
/// d_(n+1) = 2 p (x d_n - n d_(n-1)).
void derivatives(double exponent, int order, double x, double* values, std::size_t stride) {
  double before = 0, now = std::exp(-exponent * x * x);
  for (int n = 0; n <= order; ++n) {
    values[static_cast<std::size_t>(n) * stride] = now;
    const double next = 2 * exponent * (x * now - n * before);
    before = now;
    now = next;
  }
}

/// One plane of a grid in bohr, summed in double precision.
class Plane {
 public:
  Plane(const grid::Grid& grid, double bohr, int k)
      : columns_(grid.dimensions[0]),
        rows_(grid.dimensions[1]),
        origin_(bohr * grid.position(0, 0, k)),
        step_(bohr * grid.step.diagonal()),
        values_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

  void add(const Reaching& each) {
    const double away = origin_.z() - each.gaussian->centre_bohr.z();
    const double left = each.reach_bohr * each.reach_bohr - away * away;
    if (!(left > 0)) return;
    const Range across = range(0, *each.gaussian, std::sqrt(left));
    const Range along = range(1, *each.gaussian, std::sqrt(left));
    if (across.count() <= 0 || along.count() <= 0) return;
    fill_tables(each, across, away);
    for (int j = along.first; j <= along.last; ++j) add_row(*each.gaussian, j, across);
  }
  const std::vector<double>& values() const { return values_; }

 private:
  struct Range {
    int first, last;
    int count() const { return last - first + 1; }
  };
  Range range(int axis, const HermiteGaussian& gaussian, double reach) const {
    const double middle = (gaussian.centre_bohr[axis] - origin_[axis]) / step_[axis];
    const double half = reach / std::abs(step_[axis]);
    const double end = axis == 0 ? columns_ : rows_;
    return {static_cast<int>(std::clamp(std::ceil(middle - half), 0.0, end)),
            static_cast<int>(std::clamp(std::floor(middle + half), -1.0, end - 1))};
  }

  /// Derivatives by x at each column, and the coefficients contracted with the derivatives by z.
  void fill_tables(const Reaching& each, const Range& across, double away) {
    const auto& gaussian = *each.gaussian;
    const auto stride = static_cast<std::size_t>(across.count());
    of_columns_.resize(static_cast<std::size_t>(gaussian.order + 1) * stride);
    for (int i = across.first; i <= across.last; ++i) {
      derivatives(gaussian.exponent, gaussian.order, origin_.x() + i * step_.x() - gaussian.centre_bohr.x(),
                  of_columns_.data() + (i - across.first), stride);
    }
    std::array<double, max_order + 1> of_plane{};
    derivatives(gaussian.exponent, gaussian.order, away, of_plane.data(), 1);
    for (auto& row : of_x_and_y_) row.fill(0);
    const auto& triples = triple_index(gaussian.order).triples();
    for (std::size_t n = 0; n < triples.size(); ++n) {
      const auto [t, u, v] = triples[n];
      of_x_and_y_[static_cast<std::size_t>(t)][static_cast<std::size_t>(u)] +=
          each.coefficients[n] * of_plane[static_cast<std::size_t>(v)];
    }
  }

  void add_row(const HermiteGaussian& gaussian, int j, const Range& across) {
    std::array<double, max_order + 1> of_row{};
    derivatives(gaussian.exponent, gaussian.order, origin_.y() + j * step_.y() - gaussian.centre_bohr.y(),
                of_row.data(), 1);
    const int count = across.count();
    double* const row =
        values_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) + across.first;
    for (int t = 0; t <= gaussian.order; ++t) {
      double factor = 0;
      for (int u = 0; u <= gaussian.order - t; ++u)
        factor += of_x_and_y_[static_cast<std::size_t>(t)][static_cast<std::size_t>(u)] *
                  of_row[static_cast<std::size_t>(u)];
      const double* const of_column =
          of_columns_.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(count);
      for (int i = 0; i < count; ++i) row[i] += factor * of_column[i];
    }
  }

  int columns_, rows_;
  Eigen::Vector3d origin_, step_;
  std::vector<double> values_, of_columns_;
  std::array<std::array<double, max_order + 1>, max_order + 1> of_x_and_y_{};
};

}  // namespace

grid::ScalarField density_map(const HermiteDensity& density, const grid::Grid& grid, double tolerance,
                              const jobs::Progress& progress) {
  if (grid.unit == grid::LengthUnit::millimetre || !grid.axis_aligned())
    throw Error("The density of electrons needs a grid along x, y and z in bohr or angstrom.");
  const std::size_t count = grid.point_count();
  dispatch::require_memory("The density of electrons", grid::point_number(grid) * sizeof(float),
                           "Take a larger spacing.");
  grid::ScalarField field{
      .grid = grid, .values = FieldValues(count), .name = "electron density", .unit = "e/bohr^3"};
  float* const values = field.values.data();
  const auto gaussians = reaching(density, tolerance);
  const double bohr = grid::shown_per_unit(grid.unit) / grid::shown_per_unit(grid::LengthUnit::bohr);
  const int planes = grid.dimensions[2];
  std::atomic<int> done = 0;
  handover::parallel_for(tbb::blocked_range<int>(0, planes, 1), [&](const auto& range) {
    for (int k = range.begin(); k != range.end() && !progress.cancelled(); ++k) {
      Plane plane(grid, bohr, k);
      constexpr std::size_t between_checks = 1024;
      for (std::size_t i = 0; i < gaussians.size(); ++i) {
        if (i % between_checks == 0 && progress.cancelled()) return;
        plane.add(gaussians[i]);
      }
      std::ranges::transform(plane.values(), values + static_cast<std::size_t>(k) * plane.values().size(),
                             [](double value) { return static_cast<float>(value); });
      progress.report(static_cast<double>(++done) / planes, "density");
    }
  });
  progress.check();
  return field;
}

}  // namespace isolume::gaussians
