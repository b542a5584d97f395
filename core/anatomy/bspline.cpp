#include "core/anatomy/bspline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/anatomy/bspline_kernels.h"
#include "core/anatomy/lbfgs.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

/// The four cubic B-splines of a tile at `u` from 0 to 1 of it, or their first or second derivatives by u.
std::array<double, 4> basis_at(double u, int derivative) {
  const double v = 1 - u;
  switch (derivative) {
    case 0:
      return {v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (3 * v * v * v - 6 * v * v + 4) / 6,
              u * u * u / 6};
    case 1:
      return {-v * v / 2, (3 * u * u - 4 * u) / 2, -(3 * v * v - 4 * v) / 2, u * u / 2};
    default:
      return {v, 3 * u - 2, 3 * v - 2, u};
  }
}

template <class Work>
void for_indices(std::size_t count, std::size_t grain, const Work& work) {
  using Indices = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Indices(0, count, grain), [&](const Indices& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) work(i);
  });
}

std::size_t size_of(int count) {
  return static_cast<std::size_t>(count);
}

}  // namespace

SplineGrid spline_grid(const Counts& voxels, const Spacing& voxel_mm, double spacing_mm, std::size_t levels,
                       std::size_t level) {
  SplineGrid grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double box = voxels[axis] * voxel_mm[axis];
    const double coarsest = std::ceil(box / std::ldexp(spacing_mm, static_cast<int>(levels) - 1) - 1e-9);
    grid.tiles[axis] = static_cast<int>(std::max(coarsest, 1.0)) << level;
    grid.tile_mm[axis] = box / grid.tiles[axis];
  }
  return grid;
}

/// Control points in the places of coarse ones keep 6/8 of them and get 1/8 of each neighbour; those between, half of each.
SplineCoefficients subdivided(const SplineCoefficients& coefficients, const SplineGrid& coarse) {
  const Counts from = coarse.counts();
  std::array<std::vector<double>, 3> components;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto begin = coefficients.begin() + static_cast<std::ptrdiff_t>(axis * coarse.count());
    components[axis].assign(begin, begin + static_cast<std::ptrdiff_t>(coarse.count()));
  }
  Counts counts = from;
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Counts finer = counts;
    finer[axis] = 2 * coarse.tiles[axis] + 3;
    const std::size_t along = size_of(counts[axis]), along_finer = size_of(finer[axis]);
    for (auto& values : components) {
      std::vector<double> result(volumes::point_count(finer));
      const std::size_t lines = values.size() / (stride * along);
      for (std::size_t line = 0; line < lines; ++line) {
        for (std::size_t i = 0; i < along_finer; ++i) {
          for (std::size_t s = 0; s < stride; ++s) {
            const auto at = [&](std::size_t k) { return values[(line * along + k) * stride + s]; };
            const std::size_t k = (i + 1) / 2;
            result[(line * along_finer + i) * stride + s] =
                i % 2 == 0 ? (at(k) + at(k + 1)) / 2 : (at(k - 1) + 6 * at(k) + at(k + 1)) / 8;
          }
        }
      }
      values = std::move(result);
    }
    counts = finer;
    stride *= along_finer;
  }
  SplineCoefficients all;
  for (const auto& each : components) all.insert(all.end(), each.begin(), each.end());
  return all;
}

SplineExpansion::SplineExpansion(const SplineGrid& grid, const Counts& voxels, const Spacing& voxel_mm)
    : grid_(grid), voxels_(voxels), voxel_mm_(voxel_mm) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < voxels[axis]; ++i) {
      Eigen::Vector3d index = Eigen::Vector3d::Zero();
      index[static_cast<int>(axis)] = i;
      const Support support = support_at(index);
      axes_[axis].first.push_back(support.first[axis]);
      std::array<float, 4> weights{};
      for (std::size_t k = 0; k < 4; ++k) weights[k] = static_cast<float>(support.weights[axis][k]);
      axes_[axis].weights.push_back(weights);
    }
  }
  const Counts points = grid.counts();
  lines_.resize(3 * size_of(voxels[0]) * size_of(points[1]) * size_of(points[2]));
  planes_.resize(3 * size_of(voxels[0]) * size_of(voxels[1]) * size_of(points[2]));
}

SplineExpansion::Support SplineExpansion::support_at(const Eigen::Vector3d& index) const {
  Support support;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double place = (index[static_cast<int>(axis)] + 0.5) * voxel_mm_[axis] / grid_.tile_mm[axis];
    const int tile = std::clamp(static_cast<int>(std::floor(place)), 0, grid_.tiles[axis] - 1);
    support.first[axis] = tile;
    support.weights[axis] = basis_at(std::clamp(place - tile, 0.0, 1.0), 0);
  }
  return support;
}

template <class Point>
void SplineExpansion::for_support(const Support& support, const Point& point) const {
  const Counts counts = grid_.counts();
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at =
            ((size_of(support.first[2]) + k) * size_of(counts[1]) + size_of(support.first[1]) + j) *
                size_of(counts[0]) +
            size_of(support.first[0]) + i;
        point(at, support.weights[0][i] * support.weights[1][j] * support.weights[2][k]);
      }
    }
  }
}

Eigen::Vector3d SplineExpansion::displacement_at(std::span<const double> coefficients,
                                                 const Eigen::Vector3d& index) const {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for_support(support_at(index), [&](std::size_t at, double weight) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum[static_cast<int>(axis)] += weight * coefficients[axis * grid_.count() + at] / voxel_mm_[axis];
  });
  return sum;
}

void SplineExpansion::add_at(const Eigen::Vector3d& index, const Eigen::Vector3d& by,
                             std::span<double> sums) const {
  for_support(support_at(index), [&](std::size_t at, double weight) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      sums[axis * grid_.count() + at] += weight * by[static_cast<int>(axis)] / voxel_mm_[axis];
  });
}

void SplineExpansion::expand(std::span<const double> coefficients, VectorField& displacement) {
  const Counts points = grid_.counts();
  const std::size_t nx = size_of(voxels_[0]), ny = size_of(voxels_[1]), nz = size_of(voxels_[2]);
  const std::size_t kx = size_of(points[0]), ky = size_of(points[1]), kz = size_of(points[2]);
  for_indices(3 * kz * ky, 16, [&](std::size_t line) {
    const double* from = coefficients.data() + line * kx;
    const double per_mm = 1 / voxel_mm_[line / (kz * ky)];
    std::vector<float> row(kx);
    for (std::size_t i = 0; i < kx; ++i) row[i] = static_cast<float>(from[i] * per_mm);
    float* to = lines_.data() + line * nx;
    for (std::size_t x = 0; x < nx; ++x) {
      const float* at = row.data() + axes_[0].first[x];
      const auto& w = axes_[0].weights[x];
      to[x] = w[0] * at[0] + w[1] * at[1] + w[2] * at[2] + w[3] * at[3];
    }
  });
  for_indices(3 * kz * ny, 16, [&](std::size_t row) {
    const std::size_t plane = row / ny, y = row % ny;
    const float* from = lines_.data() + (plane * ky + size_of(axes_[1].first[y])) * nx;
    combine_rows({from, from + nx, from + 2 * nx, from + 3 * nx}, axes_[1].weights[y], voxels_[0],
                 planes_.data() + row * nx);
  });
  for_indices(3 * nz * ny, 16, [&](std::size_t row) {
    const std::size_t axis = row / (nz * ny), z = row / ny % nz, y = row % ny, step = ny * nx;
    const float* from = planes_.data() + ((axis * kz + size_of(axes_[2].first[z])) * ny + y) * nx;
    combine_rows({from, from + step, from + 2 * step, from + 3 * step}, axes_[2].weights[z], voxels_[0],
                 displacement.data(axis) + (z * ny + y) * nx);
  });
}

void SplineExpansion::reduce(std::span<const float> weights, const VectorField& gradient, double factor,
                             std::span<double> sums) {
  const Counts points = grid_.counts();
  const std::size_t nx = size_of(voxels_[0]), ny = size_of(voxels_[1]), nz = size_of(voxels_[2]);
  const std::size_t kx = size_of(points[0]), ky = size_of(points[1]), kz = size_of(points[2]);
  for_indices(3 * ny, 1, [&](std::size_t row) {
    const std::size_t axis = row / ny, y = row % ny, step = ny * nx;
    float* const to = planes_.data() + (axis * kz * ny + y) * nx;
    for (std::size_t k = 0; k < kz; ++k) std::fill_n(to + k * step, nx, 0.F);
    for (std::size_t z = 0; z < nz; ++z) {
      const std::size_t at = (z * ny + y) * nx;
      float* const first = to + size_of(axes_[2].first[z]) * step;
      add_products_to_rows(weights.data() + at, gradient.data(axis) + at, axes_[2].weights[z], voxels_[0],
                           {first, first + step, first + 2 * step, first + 3 * step});
    }
  });
  for_indices(3 * kz, 1, [&](std::size_t plane) {
    float* const to = lines_.data() + plane * ky * nx;
    std::fill_n(to, ky * nx, 0.F);
    for (std::size_t y = 0; y < ny; ++y) {
      float* const first = to + size_of(axes_[1].first[y]) * nx;
      add_to_rows(planes_.data() + (plane * ny + y) * nx, axes_[1].weights[y], voxels_[0],
                  {first, first + nx, first + 2 * nx, first + 3 * nx});
    }
  });
  for_indices(3 * kz * ky, 16, [&](std::size_t line) {
    const float* from = lines_.data() + line * nx;
    const double scale = factor / voxel_mm_[line / (kz * ky)];
    double* to = sums.data() + line * kx;
    for (std::size_t x = 0; x < nx; ++x) {
      double* const at = to + axes_[0].first[x];
      const double value = scale * static_cast<double>(from[x]);
      for (std::size_t k = 0; k < 4; ++k) at[k] += static_cast<double>(axes_[0].weights[x][k]) * value;
    }
  });
}

BendingEnergy::BendingEnergy(const SplineGrid& grid) : grid_(grid) {
  // Products of two splines of a tile are of the sixth degree: four points of Gauss and Legendre are exact.
  constexpr std::array<double, 4> places{0.069431844202973714, 0.33000947820757187, 0.66999052179242813,
                                         0.93056815579702623};
  constexpr std::array<double, 4> weights{0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                          0.17392742256872693};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = grid.tile_mm[axis];
    for (int derivative = 0; derivative < 3; ++derivative) {
      Band& band = bands_[axis][static_cast<std::size_t>(derivative)];
      band.assign(size_of(grid.tiles[axis] + 3), {});
      for (int tile = 0; tile < grid.tiles[axis]; ++tile) {
        for (std::size_t point = 0; point < places.size(); ++point) {
          const auto b = basis_at(places[point], derivative);
          const double scale = weights[point] * std::pow(size, 1 - 2 * derivative);
          for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) band[size_of(tile) + i][3 + j - i] += scale * b[i] * b[j];
          }
        }
      }
    }
  }
}

std::vector<double> BendingEnergy::applied(const Band& band, std::span<const double> values,
                                           const Counts& counts, std::size_t axis) {
  std::vector<double> result(values.size());
  const std::size_t along = size_of(counts[axis]);
  std::size_t stride = 1;
  for (std::size_t a = 0; a < axis; ++a) stride *= size_of(counts[a]);
  for_indices(values.size() / stride, 64, [&](std::size_t row) {
    const std::size_t i = row % along;
    double* const to = result.data() + row * stride;
    for (std::size_t k = i < 3 ? 3 - i : 0; k < 7 && i + k < along + 3; ++k) {
      const double weight = band[i][k];
      const double* const from = values.data() + (row + k - 3) * stride;
      for (std::size_t s = 0; s < stride; ++s) to[s] += weight * from[s];
    }
  });
  return result;
}

double BendingEnergy::add(std::span<const double> coefficients, double factor,
                          std::span<double> gradient) const {
  const Counts counts = grid_.counts();
  double energy = 0;
  for (std::size_t component = 0; component < 3; ++component) {
    const auto values = coefficients.subspan(component * grid_.count(), grid_.count());
    const auto by = [&](const auto& from, std::size_t axis, std::size_t derivative) {
      return applied(bands_[axis][derivative], from, counts, axis);
    };
    const auto add_to = [](std::vector<double>& to, double weight, const std::vector<double>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += weight * from[i];
    };
    const std::vector<double> x[3] = {by(values, 0, 0), by(values, 0, 1), by(values, 0, 2)};
    // What is differentiated along z by nothing, once and twice.
    std::vector<double> none = by(x[0], 1, 2), once = by(x[0], 1, 1);
    add_to(none, 1, by(x[2], 1, 0));
    add_to(none, 2, by(x[1], 1, 1));
    add_to(once, 1, by(x[1], 1, 0));
    std::vector<double> all = by(none, 2, 0);
    add_to(all, 2, by(once, 2, 1));
    add_to(all, 1, by(by(x[0], 1, 0), 2, 2));
    for (std::size_t i = 0; i < all.size(); ++i) {
      energy += values[i] * all[i];
      gradient[component * grid_.count() + i] += 2 * factor * all[i];
    }
  }
  return factor * energy;
}

SplineFit::SplineFit(const SplineGrid& grid, const Counts& finest, const Counts& counts,
                     const Spacing& spacing, const DeformationParameters& parameters, double intensity,
                     const LandmarkTerm& landmarks)
    : expansion_(grid, counts, spacing),
      bending_(grid),
      bending_weight_(parameters.bending * intensity * intensity / (spacing[0] * spacing[1] * spacing[2])),
      pairs_(landmarks, finest, counts, spacing, intensity),
      mismatch_(counts, spacing, parameters),
      displacement_(counts),
      gradient_(counts),
      warped_(volumes::point_count(counts)),
      weights_(warped_.size()) {}

void SplineFit::set_images(std::span<const float> fixed, std::span<const float> moving,
                           std::span<const float> weights) {
  mismatch_.set_fixed(fixed, weights);
  moving_ = moving;
}

double SplineFit::operator()(std::span<const double> coefficients, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.0);
  expansion_.expand(coefficients, displacement_);
  volumes::warp(moving_, displacement_, warped_, gradient_);
  sum_ = mismatch_.measure_weights(warped_, weights_);
  // Weights are minus half of the derivative.
  expansion_.reduce(weights_, gradient_, -2, gradient);
  return sum_ + bending_.add(coefficients, bending_weight_, gradient) + add_pairs(coefficients, gradient);
}

double SplineFit::add_pairs(std::span<const double> coefficients, std::span<double> gradient) const {
  double squares = 0;
  for (const GridLandmark& each : pairs_.pairs()) {
    const Eigen::Vector3d left =
        pairs_.distance_mm(each, expansion_.displacement_at(coefficients, each.fixed));
    squares += left.squaredNorm();
    expansion_.add_at(each.fixed, -2 * pairs_.weight() * pairs_.per_voxel(left), gradient);
  }
  return pairs_.weight() * squares;
}

Registration register_by_splines(std::span<const float> fixed, std::span<const float> moving,
                                 const Counts& counts, const Spacing& spacing_mm,
                                 const DeformationParameters& parameters, const std::vector<Level>& levels,
                                 const OnIteration& on_iteration, const jobs::Progress& progress,
                                 const LandmarkTerm& landmarks, const Masks& masks) {
  LevelImages images(fixed, moving, counts, parameters, masks);
  double work = 0, done = 0;
  for (const Level& each : levels)
    work += each.iterations * static_cast<double>(volumes::point_count(each.counts));
  Registration result;
  result.metric = parameters.metric;
  SplineCoefficients coefficients;
  SplineGrid grid;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    progress.check();
    const Spacing spacing = level_spacing(counts, spacing_mm, level.counts);
    if (i > 0) coefficients = subdivided(coefficients, grid);
    grid = spline_grid(counts, spacing_mm, parameters.control_spacing_mm, levels.size(), i);
    if (i == 0) coefficients.assign(3 * grid.count(), 0.0);
    const auto [level_fixed, level_moving] = images.at(level.counts);
    SplineFit fit(grid, counts, level.counts, spacing, parameters, images.intensity(), landmarks);
    fit.expand(coefficients);
    const FieldValues weights = images.weights(fit.displacement());
    fit.set_images(level_fixed, level_moving, weights);
    Minimiser minimiser(
        [&fit, &progress](std::span<const double> x, std::span<double> gradient) {
          progress.check();
          return fit(x, gradient);
        },
        coefficients, parameters.largest_step * std::min({spacing[0], spacing[1], spacing[2]}));
    LevelResult told{.counts = level.counts, .mismatch_before = fit.mean(), .mismatch_after = fit.mean()};
    for (int iteration = 0; iteration < level.iterations; ++iteration) {
      const double before = minimiser.value(), mean = told.mismatch_after;
      if (!minimiser.step()) break;
      ++told.iterations;
      told.mismatch_after = fit.mean();
      if (on_iteration) {
        on_iteration({.level = i,
                      .levels = levels.size(),
                      .iteration = iteration,
                      .iterations = level.iterations,
                      .mismatch = mean,
                      .longest_step_voxels = minimiser.largest_change() / spacing[0],
                      .displacement = fit.displacement()});
      }
      done += static_cast<double>(volumes::point_count(level.counts));
      progress.report(done / work, fmt::format("level {} of {}", i + 1, levels.size()));
      constexpr double least_decrease = 1e-4;
      if (before - minimiser.value() < least_decrease * std::abs(before)) break;
    }
    coefficients = minimiser.x();
    fit.expand(coefficients);
    told.least_jacobian = volumes::jacobian_range(fit.displacement()).least;
    result.levels.push_back(told);
  }
  progress.check();
  result.displacement = VectorField(counts);
  if (levels.empty())
    result.displacement = volumes::zero_field(counts);
  else
    SplineExpansion(grid, counts, spacing_mm).expand(coefficients, result.displacement);
  images.finish(moving, spacing_mm, parameters, result);
  return result;
}

}  // namespace isolume::anatomy
