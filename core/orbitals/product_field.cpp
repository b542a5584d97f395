#include "core/orbitals/product_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/product_batch_kernels.h"
#include "core/orbitals/separable_kernels.h"

namespace isolume::orbitals {
namespace {

using products::block_points;
using products::block_y;
using products::block_z;
using products::patch_points;

/// -ln of the relative error of convolutions.
constexpr double convolution_digits = 20.7;
/// Absolute tolerance of the field, in that of amplitudes.
constexpr double tolerance_of_screening = 0.01;

/// The sharpest exponent on a lattice of this spacing, with q twice as large: exp(-pi^2 / (4 p h^2)) is the error.
double largest_exponent(double spacing) {
  return std::numbers::pi * std::numbers::pi / (4 * convolution_digits * spacing * spacing);
}
/// Sharpening makes polynomials of degree n about (1 - p / q)^(-n / 2) times as large, and so is their rounding. For
/// high degrees p is kept farther below q, so that this is at most 2.5.
double largest_exponent(double spacing, int degree) {
  return largest_exponent(spacing) * std::min(1.0, 4.0 / (2 + degree));
}

/// Copies the sums of a pencil to its rows, row(y, z), or nullptr where there is none.
template <class Row>
void copy_sums(products::Scratch& scratch, int points_x, float least, Row row) {
  using products::patch_edge;
  scratch.unused_row.resize(static_cast<std::size_t>(points_x));
  const float* patch = scratch.sums.data();
  for (int z = 0; z < block_z; z += patch_edge) {
    for (int y = 0; y < block_y; y += patch_edge) {
      products::PatchRows rows;
      for (int n = 0; n < patch_points; ++n) {
        float* const to = row(y + n % patch_edge, z + n / patch_edge);
        rows[static_cast<std::size_t>(n)] = to != nullptr ? to : scratch.unused_row.data();
      }
      products::to_rows(patch, points_x, least, rows);
      patch += products::row_length(points_x) * patch_points;
    }
  }
}

/// Primitive groups of all atoms.
double group_count(const molecules::BasisSet& basis) {
  std::vector<std::pair<int, double>> groups;
  for (const auto& shell : basis.shells) {
    for (const double exponent : shell.exponents) groups.emplace_back(shell.atom, exponent);
  }
  std::ranges::sort(groups);
  return static_cast<double>(std::unique(groups.begin(), groups.end()) - groups.begin());
}

int blocks_of(int count, int size) {
  return (count + size - 1) / size;
}

}  // namespace

bool ProductField::worthwhile(const FieldProblem& problem) {
  const auto& [molecule, basis, coefficients, weights, lattice, points, screening] = problem;
  if (weights == nullptr || lattice == nullptr || !lattice->axis_aligned() || !(screening > 0)) return false;
  // Almost linearly dependent functions have large coefficients: large products then add up to a small density, and
  // their rounding with them. Squares do not have this.
  constexpr double largest_cancellation = 10;
  const double norms = coefficients.cwiseAbs2().colwise().sum().dot(weights->cwiseAbs().transpose());
  if (norms > largest_cancellation * weights->cwiseAbs().sum()) return false;
  // With g groups near a point, each point costs as much as 15 g terms of a column, and each product, of which there
  // are g for half of all groups, as much as 50,000. Local columns (local_density.h) are about 100 at most. Fitted to
  // times of water to C60 (tests/bench/results/density_products.md).
  constexpr double columns_of_a_point = 15, points_of_a_group = 25000, most_columns = 100;
  const double saved = std::min(static_cast<double>(coefficients.cols()), most_columns) - columns_of_a_point;
  return static_cast<double>(lattice->point_count()) * saved > points_of_a_group * group_count(basis);
}

ProductField::ProductField(const FieldProblem& problem, int threads, const jobs::Progress& progress)
    : axes_(axes_of(*problem.lattice)), never_negative_((problem.weights->array() >= 0).all()) {
  pencils_y_ = blocks_of(axes_[1].count, block_y);
  pencils_z_ = blocks_of(axes_[2].count, block_z);
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    auto all =
        gaussian_products(problem.molecule, problem.basis, problem.coefficients, *problem.weights, progress);
    choose_levels(all);
    place(std::move(all), problem.screening * tolerance_of_screening, progress);
    for (Level& level : levels_) {
      if (level.kernel > 0) sum_coarse(level, progress);
    }
  });
}

/// Its kernel has twice the sharpest exponent that it takes.
ProductField::Level ProductField::make_level(int over, int under) const {
  Level level;
  level.over = over;
  level.under = under;
  const double factor = level.factor();
  level.pencils_y = pencils_y_;
  level.pencils_z = pencils_z_;
  level.axes = axes_;
  if (over == under) return level;
  const double widest = factor * std::max({axes_[0].step, axes_[1].step, axes_[2].step});
  level.kernel = 2 * largest_exponent(widest);
  const std::array<int, 3> points{axes_[0].count, pencils_y_ * block_y, pencils_z_ * block_z};
  std::array<int, 3> counts;
  for (int axis = 0; axis < 3; ++axis) {
    const double step = factor * axes_[axis].step;
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
    counts[axis] = stencil.first_tap(points[axis] - 1) + stencil.taps;
    if (axis == 0) counts[axis] = blocks_of(counts[axis], products::row_multiple) * products::row_multiple;
    level.axes[axis] = {axes_[axis].origin - reach * step, step, counts[axis]};
  }
  level.pencils_y = blocks_of(counts[1], block_y);
  level.pencils_z = blocks_of(counts[2], block_z);
  return level;
}

/// The field's own lattice, and those coarser ones that save operations; from fine to coarse.
void ProductField::choose_levels(const std::vector<GaussianProducts>& all) {
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
  const double widest = std::max({axes_[0].step, axes_[1].step, axes_[2].step});
  const auto cost = [&](const Sample& product, const Level& level) {
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
  levels_.push_back(make_level(1, 1));
  std::vector<double> best;
  for (const auto& sample : samples) best.push_back(cost(sample, levels_.front()));
  std::vector<Level> candidates;
  for (const auto& [over, under] : factors) candidates.push_back(make_level(over, under));
  for (std::size_t chosen = 0; chosen < most; ++chosen) {
    double most_saved = 0;
    std::size_t which = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      double saved = -interpolation_operations(candidates[c]);
      for (std::size_t n = 0; n < best.size(); ++n)
        saved += static_cast<double>(stride) * std::max(0.0, best[n] - cost(samples[n], candidates[c]));
      if (saved > most_saved) std::tie(most_saved, which) = std::pair(saved, c);
    }
    if (most_saved == 0) break;
    for (std::size_t n = 0; n < best.size(); ++n)
      best[n] = std::min(best[n], cost(samples[n], candidates[which]));
    levels_.push_back(std::move(candidates[which]));
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(which));
  }
  std::ranges::sort(levels_, {}, &Level::factor);
}

namespace {

/// Products of one atom that are summed on one lattice.
struct Placed {
  std::vector<products::Product> products;
  std::vector<float> coefficients;

  void add(const ProductBatch& batch, const double* batch_coefficients, std::size_t lane, double radius,
           const std::array<LatticeAxis, 3>& axes) {
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

}  // namespace

/// Divides the tolerance among the products so that it saves most operations, and gives each to a level.
void ProductField::place(std::vector<GaussianProducts> all, double tolerance,
                         const jobs::Progress& progress) {
  const double widest = std::max({axes_[0].step, axes_[1].step, axes_[2].step});
  // Of each level and degree.
  std::vector<std::array<double, 2 * molecules::max_angular_momentum + 1>> largest;
  for (const auto& level : levels_) {
    auto& of_level = largest.emplace_back();
    for (int degree = 0; double& each : of_level) each = largest_exponent(level.factor() * widest, degree++);
  }
  const auto level_of = [&](const ProductBatch& batch, std::size_t lane) {
    std::size_t level = 0;
    while (level + 1 < levels_.size() &&
           batch.exponent[lane] <= largest[level + 1][static_cast<std::size_t>(batch.degree)])
      ++level;
    return level;
  };
  const auto share_of = [&](const ProductBatch& batch, std::size_t lane, std::size_t level) {
    const double factor = levels_[level].factor();
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
      placed[atom].resize(levels_.size());
      for (auto& batch : all[atom].batches) {
        double* const own = all[atom].coefficients.data() + batch.first;
        std::array<std::size_t, product_lanes> levels{};
        Lanes inverse_q{}, tolerances, radii;
        tolerances.fill(1);
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(batch.count); ++lane) {
          const std::size_t level = levels[lane] = level_of(batch, lane);
          if (level > 0) inverse_q[lane] = 1 / levels_[level].kernel;
          tolerances[lane] = tolerance * share_of(batch, lane, level) / shares;
        }
        if (std::ranges::any_of(levels, [](std::size_t level) { return level > 0; }))
          products::sharpen(inverse_q, batch, own);
        products::find_radii(batch, own, tolerances, radii);
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(batch.count); ++lane) {
          if (radii[lane] > 0)
            placed[atom][levels[lane]].add(batch, own, lane, radii[lane], levels_[levels[lane]].axes);
        }
      }
      all[atom] = {};
    }
  });
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, levels_.size(), 1), [&](const auto& part) {
    for (std::size_t level = part.begin(); level != part.end(); ++level) {
      Level& to = levels_[level];
      for (auto& of_atom : placed) {
        auto& [products, coefficients] = of_atom[level];
        for (auto& product : products) product.first += static_cast<std::uint32_t>(to.coefficients.size());
        to.products.insert(to.products.end(), products.begin(), products.end());
        to.coefficients.insert(to.coefficients.end(), coefficients.begin(), coefficients.end());
      }
      list(to);
    }
  });
}

namespace {

/// Calls `function(block, rest)` for each block of an axis that a sphere extends into, with the square of what is left
/// of its radius there.
template <class Function>
void for_each_block(const products::Product& product, int axis, double step, int size, int blocks,
                    double radius_squared, Function function) {
  const double radius = std::sqrt(radius_squared),
               place = product.nearest[axis] * step - product.offset[axis], per_block = 1 / (step * size);
  const auto block_of = [&](double at) {
    return static_cast<int>(std::clamp(at * per_block, 0.0, blocks - 1.0));
  };
  for (int block = block_of(place - radius); block <= block_of(place + radius); ++block) {
    const double low = step * block * size, high = low + step * (size - 1);
    const double distance = std::max({low - place, place - high, 0.0});
    if (const double rest = radius_squared - distance * distance; rest > 0) function(block, rest);
  }
}

}  // namespace

void ProductField::list(Level& level) {
  std::vector<std::uint32_t> pencils;  // of all products, one after the other
  std::vector<std::size_t> ends;
  level.starts.assign(static_cast<std::size_t>(level.pencils_y * level.pencils_z) + 1, 0);
  for (const auto& product : level.products) {
    const double squared = static_cast<double>(product.radius) * product.radius;
    for_each_block(
        product, 2, level.axes[2].step, block_z, level.pencils_z, squared, [&](int z, double disc) {
          for_each_block(product, 1, level.axes[1].step, block_y, level.pencils_y, disc, [&](int y, double) {
            const int pencil = z * level.pencils_y + y;
            pencils.push_back(static_cast<std::uint32_t>(pencil));
            ++level.starts[static_cast<std::size_t>(pencil) + 1];
          });
        });
    ends.push_back(pencils.size());
  }
  std::partial_sum(level.starts.begin(), level.starts.end(), level.starts.begin());
  level.chosen.resize(pencils.size());
  auto next = level.starts;
  std::size_t at = 0;
  for (std::uint32_t product = 0; product < ends.size(); ++product) {
    for (; at < ends[product]; ++at) level.chosen[next[pencils[at]]++] = product;
  }
}

void ProductField::clear(const Level& level, products::Scratch& scratch) {
  const std::size_t size = products::row_length(level.axes[0].count) * block_points;
  if (scratch.sums.size() < size) scratch.sums = AlignedFloats(size);
  std::fill_n(scratch.sums.data(), size, 0.0F);
}

/// Adds to the sums of the scratch memory.
void ProductField::sum(const Level& level, int pencil, products::Scratch& scratch) {
  const auto at = static_cast<std::size_t>(pencil);
  products::add_products(
      {level.products,
       level.coefficients.data(),
       std::span(level.chosen).subspan(level.starts[at], level.starts[at + 1] - level.starts[at]),
       {static_cast<float>(level.axes[0].step), static_cast<float>(level.axes[1].step),
        static_cast<float>(level.axes[2].step)},
       level.axes[0].count,
       pencil % level.pencils_y * block_y,
       pencil / level.pencils_y * block_z},
      scratch);
}

void ProductField::sum_coarse(Level& level, const jobs::Progress& progress) {
  const auto width = static_cast<std::size_t>(level.axes[0].count),
             height = static_cast<std::size_t>(level.pencils_y) * block_y;
  level.values = AlignedFloats(width * height * static_cast<std::size_t>(level.pencils_z) * block_z);
  tbb::enumerable_thread_specific<products::Scratch> scratches;
  handover::parallel_for(
      tbb::blocked_range<int>(0, level.pencils_y * level.pencils_z, 1), [&](const auto& part) {
        const separable::DenormalsAsZero denormals_as_zero;
        products::Scratch& scratch = scratches.local();
        for (int pencil = part.begin(); pencil != part.end(); ++pencil) {
          progress.check();
          clear(level, scratch);
          sum(level, pencil, scratch);
          copy_sums(scratch, level.axes[0].count, -std::numeric_limits<float>::infinity(), [&](int y, int z) {
            const auto at_y = static_cast<std::size_t>(pencil % level.pencils_y * block_y + y);
            const auto at_z = static_cast<std::size_t>(pencil / level.pencils_y * block_z + z);
            return level.values.data() + (at_z * height + at_y) * width;
          });
        }
      });
  for (const auto& scratch : scratches) preparing_operations_ += scratch.operations;
}

double ProductField::interpolation_operations(const Level& level) const {
  const double points = static_cast<double>(axes_[0].count) * pencils_y_ * block_y * pencils_z_ * block_z;
  return 2.0 * points * level.stencils[0].taps * (1 + (1 + 1 / level.factor()) / level.factor());
}

void ProductField::density(int piece, float* field, products::Scratch& scratch,
                           const jobs::Progress& progress) const {
  const separable::DenormalsAsZero denormals_as_zero;
  clear(levels_.front(), scratch);
  sum(levels_.front(), piece, scratch);
  for (const Level& level : std::span(levels_).subspan(1)) {
    progress.check();
    const auto width = static_cast<std::size_t>(level.axes[0].count);
    products::interpolate({&level.stencils, level.values.data(), width,
                           width * static_cast<std::size_t>(level.pencils_y) * block_y, axes_[0].count,
                           piece % pencils_y_ * block_y, piece / pencils_y_ * block_z},
                          scratch);
  }
  finish(piece, scratch, field);
}

/// Stores the sums in the field.
void ProductField::finish(int pencil, products::Scratch& scratch, float* field) const {
  const int first_y = pencil % pencils_y_ * block_y, first_z = pencil / pencils_y_ * block_z;
  const float least = never_negative_ ? 0.0F : -std::numeric_limits<float>::infinity();
  copy_sums(scratch, axes_[0].count, least, [&](int y, int z) -> float* {
    if (first_y + y >= axes_[1].count || first_z + z >= axes_[2].count) return nullptr;
    const auto row = static_cast<std::size_t>(first_z + z) * static_cast<std::size_t>(axes_[1].count) +
                     static_cast<std::size_t>(first_y + y);
    return field + row * static_cast<std::size_t>(axes_[0].count);
  });
}

}  // namespace isolume::orbitals
