#include "core/orbitals/product_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/orbitals/separable_kernels.h"

namespace isolume::orbitals {
namespace {

using products::block_points;
using products::block_y;
using products::block_z;
using products::patch_points;

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
  const auto& [molecule, basis, coefficients, weights, grid, points, screening] = problem;
  if (weights == nullptr || grid == nullptr || !grid->axis_aligned() || !(screening > 0)) return false;
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
  return static_cast<double>(grid->point_count()) * saved > points_of_a_group * group_count(basis);
}

ProductField::Level::Level(ProductLevel made)
    : ProductLevel(std::move(made)),
      pencils_y(blocks_of(axes[1].count, block_y)),
      pencils_z(blocks_of(axes[2].count, block_z)) {}

ProductField::ProductField(const FieldProblem& problem, int threads, const jobs::Progress& progress)
    : axes_(axes_of(*problem.grid)), never_negative_((problem.weights->array() >= 0).all()) {
  pencils_y_ = blocks_of(axes_[1].count, block_y);
  pencils_z_ = blocks_of(axes_[2].count, block_z);
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    for (auto& level : product_levels(problem, progress)) levels_.emplace_back(std::move(level));
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, levels_.size(), 1), [&](const auto& part) {
      for (std::size_t level = part.begin(); level != part.end(); ++level) list(levels_[level]);
    });
    for (Level& level : levels_) {
      if (level.kernel > 0) sum_coarse(level, progress);
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
