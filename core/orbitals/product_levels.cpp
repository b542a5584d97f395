#include "core/orbitals/product_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/orbitals/gaussian_products.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/product_batch_kernels.h"

namespace isolume::orbitals {
namespace {

using Axes = std::array<GridAxis, 3>;

/// -ln of the relative error of convolutions.
constexpr double convolution_digits = 20.7;
/// Absolute tolerance of the field, in that of amplitudes.
constexpr double tolerance_of_screening = 0.01;

/// The sharpest exponent on a grid of this spacing, with q twice as large: exp(-pi^2 / (4 p h^2)) is the error.
double largest_exponent(double spacing) {
  return std::numbers::pi * std::numbers::pi / (4 * convolution_digits * spacing * spacing);
}
/// Sharpening makes polynomials of degree n about (1 - p / q)^(-n / 2) times as large, and so is their rounding. For
/// high degrees p is kept farther below q, so that this is at most 2.5.
double largest_exponent(double spacing, int degree) {
  return largest_exponent(spacing) * std::min(1.0, 4.0 / (2 + degree));
}

int rounded_up(int count, int multiple) {
  return (count + multiple - 1) / multiple * multiple;
}
/// Points of the pencils that cover the grid.
std::array<int, 3> covered_points(const Axes& axes) {
  return {axes[0].count, rounded_up(axes[1].count, products::block_y),
          rounded_up(axes[2].count, products::block_z)};
}
double widest_step(const Axes& axes) {
  return std::max({axes[0].step, axes[1].step, axes[2].step});
}

/// Its kernel has twice the sharpest exponent that it takes.
ProductLevel make_level(const Axes& axes, int over, int under) {
  ProductLevel level;
  level.over = over;
  level.under = under;
  const double factor = level.factor();
  level.axes = axes;
  if (over == under) return level;
  level.kernel = 2 * largest_exponent(factor * widest_step(axes));
  const auto points = covered_points(axes);
  for (int axis = 0; axis < 3; ++axis) {
    const double step = factor * axes[axis].step;
    const int reach = static_cast<int>(std::round(std::sqrt(convolution_digits / level.kernel) / step));
    products::Stencil& stencil = level.stencils[axis];
    stencil.over = over;
    stencil.under = under;
    stencil.taps = 2 * reach + 2;
    for (int phase = 0; phase < over; ++phase) {
      for (int tap = 0; tap < stencil.taps; ++tap) {
        const double x = (static_cast<double>(phase) / over + reach - tap) * step;
        stencil.weights.push_back(static_cast<float>(step * std::sqrt(level.kernel / std::numbers::pi) *
                                                     std::exp(-level.kernel * x * x)));
      }
    }
    int count = stencil.first_tap(points[axis] - 1) + stencil.taps;
    if (axis == 0) count = rounded_up(count, products::row_multiple);
    level.axes[axis] = {axes[axis].origin - reach * step, step, count};
  }
  return level;
}

double interpolation_operations(const ProductLevel& level, const Axes& axes) {
  const auto [x, y, z] = covered_points(axes);
  const double points = static_cast<double>(x) * y * z;
  return 2.0 * points * level.stencils[0].taps * (1 + (1 + 1 / level.factor()) / level.factor());
}

/// The field's own grid, and those coarser ones that save operations; from fine to coarse.
std::vector<ProductLevel> choose_levels(const std::vector<GaussianProducts>& all, const Axes& axes) {
  constexpr std::array factors{std::pair(5, 4), std::pair(3, 2), std::pair(2, 1), std::pair(3, 1),
                               std::pair(4, 1), std::pair(6, 1), std::pair(8, 1), std::pair(12, 1)};
  constexpr double digits = 20;  // of a typical product's extent, as ln
  constexpr std::size_t sampled_batches = 250, most = 3;
  struct Sample {
    double exponent;
    int degree;
  };
  std::size_t batches = 0;
  for (const auto& of_atom : all) batches += of_atom.batches.size();
  const std::size_t stride = batches / sampled_batches + 1;
  std::vector<Sample> samples;
  std::size_t batch = 0;
  for (const auto& of_atom : all) {
    for (const auto& each : of_atom.batches) {
      if (batch++ % stride != 0) continue;
      for (int lane = 0; lane < each.count; ++lane) samples.push_back({each.exponent[lane], each.degree});
    }
  }
  const double widest = widest_step(axes);
  const auto cost = [&](const Sample& product, const ProductLevel& level) {
    double exponent = product.exponent;
    if (level.kernel > 0) {
      if (exponent > largest_exponent(level.factor() * widest, product.degree))
        return std::numeric_limits<double>::infinity();
      exponent *= level.kernel / (level.kernel - exponent);
    }
    const auto extent = [&](int axis) {
      return std::min(2 * std::sqrt(digits / exponent) / level.axes[axis].step, 1.0 * level.axes[axis].count);
    };
    constexpr double sphere = 0.52;  // of its box
    constexpr double overhead = 6;   // of a row, as points
    const double rows = (extent(1) + products::patch_edge) * (extent(2) + products::patch_edge);
    const double operations =
        2 * (product.degree + 1) * rows * (sphere * extent(0) + 0.5 * product.degree + overhead);
    return operations;
  };
  std::vector<ProductLevel> levels;
  levels.push_back(make_level(axes, 1, 1));
  std::vector<double> best;
  for (const auto& sample : samples) best.push_back(cost(sample, levels.front()));
  std::vector<ProductLevel> candidates;
  for (const auto& [over, under] : factors) candidates.push_back(make_level(axes, over, under));
  for (std::size_t chosen = 0; chosen < most; ++chosen) {
    double most_saved = 0;
    std::size_t which = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      double saved = -interpolation_operations(candidates[c], axes);
      for (std::size_t n = 0; n < best.size(); ++n)
        saved += static_cast<double>(stride) * std::max(0.0, best[n] - cost(samples[n], candidates[c]));
      if (saved > most_saved) std::tie(most_saved, which) = std::pair(saved, c);
    }
    if (most_saved == 0) break;
    for (std::size_t n = 0; n < best.size(); ++n)
      best[n] = std::min(best[n], cost(samples[n], candidates[which]));
    levels.push_back(std::move(candidates[which]));
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(which));
  }
  std::ranges::sort(levels, {}, &ProductLevel::factor);
  return levels;
}

/// Products of one atom that are summed on one grid.
struct Placed {
  std::vector<products::Product> products;
  std::vector<float> coefficients;

  void add(const ProductBatch& batch, const double* batch_coefficients, std::size_t lane, double radius,
           const std::array<GridAxis, 3>& axes) {
    products::Product made;
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& [origin, step, count] = axes[axis];
      const double place = (batch.centre[axis][lane] - origin) / step;
      made.nearest[axis] = static_cast<std::int32_t>(place + (place < 0 ? -0.5 : 0.5));
      const double offset = (made.nearest[axis] - place) * step;
      made.offset[axis] = static_cast<float>(offset);
      squared += offset * offset;
    }
    if (squared > radius * radius) return;  // it is negligible at all points
    made.exponent = static_cast<float>(batch.exponent[lane]);
    made.radius = static_cast<float>(radius * (1 + 1e-6));
    made.degree = batch.degree;
    made.first = static_cast<std::uint32_t>(coefficients.size());
    products.push_back(made);
    const double* own = batch_coefficients + lane;
    for (int n = 0; n < polynomial_size(batch.degree); ++n, own += product_lanes)
      coefficients.push_back(static_cast<float>(*own));
  }
};

/// Divides the tolerance among the products so that it saves most operations, and gives each to a level.
void place(std::vector<GaussianProducts> all, double tolerance, std::vector<ProductLevel>& levels,
           const jobs::Progress& progress) {
  const double widest = widest_step(levels.front().axes);
  // Of each level and degree.
  std::vector<std::array<double, 2 * molecules::max_angular_momentum + 1>> largest;
  for (const auto& level : levels) {
    auto& of_level = largest.emplace_back();
    for (int degree = 0; double& each : of_level) each = largest_exponent(level.factor() * widest, degree++);
  }
  const auto level_of = [&](const ProductBatch& batch, std::size_t lane) {
    std::size_t level = 0;
    while (level + 1 < levels.size() &&
           batch.exponent[lane] <= largest[level + 1][static_cast<std::size_t>(batch.degree)])
      ++level;
    return level;
  };
  const auto share_of = [&](const ProductBatch& batch, std::size_t lane, std::size_t level) {
    const double factor = levels[level].factor();
    return (batch.degree + 1) /
           (factor * factor * factor * batch.exponent[lane] * std::sqrt(batch.exponent[lane]));
  };
  double shares = 0;
  for (const auto& of_atom : all) {
    for (const auto& batch : of_atom.batches) {
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(batch.count); ++lane)
        shares += share_of(batch, lane, level_of(batch, lane));
    }
  }
  std::vector<std::vector<Placed>> placed(all.size());
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, all.size(), 1), [&](const auto& part) {
    progress.check();
    for (std::size_t atom = part.begin(); atom != part.end(); ++atom) {
      placed[atom].resize(levels.size());
      for (auto& batch : all[atom].batches) {
        double* const own = all[atom].coefficients.data() + batch.first;
        std::array<std::size_t, product_lanes> chosen{};
        Lanes inverse_q{}, tolerances, radii;
        tolerances.fill(1);
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(batch.count); ++lane) {
          const std::size_t level = chosen[lane] = level_of(batch, lane);
          if (level > 0) inverse_q[lane] = 1 / levels[level].kernel;
          tolerances[lane] = tolerance * share_of(batch, lane, level) / shares;
        }
        if (std::ranges::any_of(chosen, [](std::size_t level) { return level > 0; }))
          products::sharpen(inverse_q, batch, own);
        products::find_radii(batch, own, tolerances, radii);
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(batch.count); ++lane) {
          if (radii[lane] > 0)
            placed[atom][chosen[lane]].add(batch, own, lane, radii[lane], levels[chosen[lane]].axes);
        }
      }
      all[atom] = {};
    }
  });
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, levels.size(), 1), [&](const auto& part) {
    for (std::size_t level = part.begin(); level != part.end(); ++level) {
      ProductLevel& to = levels[level];
      for (auto& of_atom : placed) {
        auto& [products, coefficients] = of_atom[level];
        for (auto& product : products) product.first += static_cast<std::uint32_t>(to.coefficients.size());
        to.products.insert(to.products.end(), products.begin(), products.end());
        to.coefficients.insert(to.coefficients.end(), coefficients.begin(), coefficients.end());
      }
    }
  });
}

}  // namespace

std::vector<ProductLevel> product_levels(const FieldProblem& problem, const jobs::Progress& progress) {
  auto all =
      gaussian_products(problem.molecule, problem.basis, problem.coefficients, *problem.weights, progress);
  auto levels = choose_levels(all, axes_of(*problem.grid));
  place(std::move(all), problem.screening * tolerance_of_screening, levels, progress);
  return levels;
}

}  // namespace isolume::orbitals
