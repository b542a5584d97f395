#include <algorithm>
#include <cmath>
#include <limits>

#include "core/orbitals/separable_lattice.h"

/// Local densities on axis-aligned lattices: the parts of SeparableLattice that make a block's columns and
/// compute its points from them.
namespace isolume::orbitals {
namespace {

using separable::block_y;
using separable::block_z;
using separable::tile_x;

float largest_of(const float* values, int count) {
  float largest = 0;
  for (int n = 0; n < count; ++n) largest = std::max(largest, std::abs(values[n]));
  return largest;
}

/// The same job for some of its tiles.
separable::PencilJob tiles_of(separable::PencilJob job, int first, int last) {
  const int x = first * tile_x;
  job.tiles = job.tiles.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  job.x_table += x;
  job.values += x;
  job.count_x = std::min(job.count_x - x, (last - first) * tile_x);
  return job;
}

/// The rows along x of a job's points.
template <typename Function>
void for_each_row(const separable::PencilJob& job, Function function) {
  for (int z = 0; z < job.count_z; ++z) {
    for (int y = 0; y < job.count_y; ++y) function(job.values + y * job.y_stride + z * job.z_stride);
  }
}

/// The least value in each tile, infinite where the lattice has ended.
LocalDensity::TileValues least_values(const std::array<separable::PencilJob, 4>& jobs) {
  LocalDensity::TileValues least = LocalDensity::TileValues::Constant(std::numeric_limits<float>::infinity());
  for (std::size_t pencil = 0; pencil < jobs.size(); ++pencil) {
    for (std::size_t tile = 0; tile < jobs[pencil].tiles.size(); ++tile) {
      const auto job = tiles_of(jobs[pencil], static_cast<int>(tile), static_cast<int>(tile) + 1);
      float& value = least[static_cast<Eigen::Index>(pencil * 2 + tile)];
      for_each_row(
          job, [&](const float* row) { value = std::min(value, *std::min_element(row, row + job.count_x)); });
    }
  }
  return least;
}

}  // namespace

/// One of the block's four pencils; none beyond the lattice.
std::optional<SeparableLattice::Window> SeparableLattice::window(const Block& block, int pencil) const {
  const int y = block.pencil_y + pencil % 2;
  const int z = block.pencil_z + pencil / 2;
  if (y >= blocks_y_ || z >= blocks_z_) return std::nullopt;
  return Window{z * blocks_y_ + y, block.tile, std::min(block.tile + Block::tiles_x, tiles_x_)};
}

/// For each group that reaches into a pencil's tiles, the largest magnitude of its monomials there.
void SeparableLattice::bound(const Selection& selection, const Window& window, int first_tile,
                             Scratch& scratch) const {
  for (std::size_t tile = 0; tile < selection.lists.size(); ++tile) {
    std::uint32_t before = selection.groups.size();
    const int x = (window.first + static_cast<int>(tile)) * tile_x;
    for (const auto& entry : selection.lists[tile]) {
      const auto& term =
          selection.plane_terms[static_cast<std::size_t>(entry.plane) / separable::plane_points];
      if (term.group == before) continue;
      before = term.group;
      const std::int32_t group = selection.groups[term.group];
      const auto& tables = group_tables_[group];
      const auto& rows = selection.monomial_jobs[term.group];
      std::int32_t& place = scratch.place_of[group];
      if (place < 0) {
        place = static_cast<std::int32_t>(scratch.groups.size());
        scratch.groups.push_back(group);
        if (scratch.largest.size() < scratch.groups.size()) scratch.largest.emplace_back();
        std::ranges::fill(scratch.largest[place], LocalDensity::TileValues::Zero());
      }
      auto& largest = scratch.largest[place];
      for (int i = 0; i <= tables.power_x; ++i) {
        const float at_x = largest_of(tables_[0].data() + tables.x_row + i * tables.x_stride + x, tile_x);
        const int degree = std::min(tables.degree, groups_[group].degree - i);
        for (int n = 0; n <= degree; ++n) {
          for (int k = 0; k <= n; ++k) {
            largest[polynomial_row(groups_[group].degree, i, n - k, k)][first_tile + static_cast<int>(tile)] =
                at_x * largest_of(rows.y_rows + (n - k) * rows.y_stride, block_y) *
                largest_of(rows.z_rows + k * rows.z_stride, block_z);
          }
        }
      }
    }
  }
}

void SeparableLattice::reach(const Block& block, Scratch& scratch) const {
  scratch.place_of.resize(groups_.size(), -1);
  for (const std::int32_t group : scratch.groups) scratch.place_of[group] = -1;
  scratch.groups.clear();
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto tiles = window(block, pencil);
    if (!tiles) continue;
    select(*tiles, scratch.pencils[pencil]);
    bound(scratch.pencils[pencil], *tiles, pencil * Block::tiles_x, scratch);
  }
  local_->start_block(scratch.local);
  for (std::size_t g = 0; g < scratch.groups.size(); ++g) {
    const auto& group = groups_[scratch.groups[g]];
    local_->add_group(group.first, std::span(scratch.largest[g]).first(polynomial_size(group.degree)),
                      scratch.local);
  }
}

void SeparableLattice::local_density(const Block& block, float* field, Scratch& scratch,
                                     const jobs::Progress& progress) const {
  reach(block, scratch);
  std::array<separable::PencilJob, 4> jobs;
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto tiles = window(block, pencil);
    if (!tiles) continue;
    auto& job = jobs[pencil] = job_for(*tiles, scratch.pencils[pencil]);
    job.values = field + job.first;
    job.store = separable::Store::add_square;
    for_each_row(job, [&](float* row) { std::fill_n(row, job.count_x, 0.0F); });
  }
  LocalDensity::Scratch& local = scratch.local;
  LocalDensity::TileValues least = LocalDensity::TileValues::Zero();
  for (int part = 0; part < local_->part_count(); ++part) {
    for (auto& job : jobs) job.weight = local_->sign(part);
    local_->first_columns(part, local);
    const int first = local.column_count;
    add_columns(jobs, 0, LocalDensity::all(first), scratch, progress);
    // What the other signs have taken away by now is no part of a lower bound.
    if (part == 0) least = least_values(jobs);
    add_columns(jobs, first, local_->further_columns(least, local), scratch, progress);
  }
}

/// Adds the squares of columns `first` ... `last[tile] - 1` to each tile.
void SeparableLattice::add_columns(const std::array<separable::PencilJob, 4>& jobs, int first,
                                   const std::array<int, LocalDensity::tiles>& last, Scratch& scratch,
                                   const jobs::Progress& progress) const {
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto& job = jobs[pencil];
    if (job.tiles.empty()) continue;
    progress.check();
    const Selection& selection = scratch.pencils[pencil];
    const int* of_tiles = last.data() + pencil * Block::tiles_x;
    const int tiles = static_cast<int>(job.tiles.size());
    for (int column = first; column < *std::max_element(of_tiles, of_tiles + tiles); ++column) {
      const float* coefficients = scratch.local.columns.col(column).data();
      // Neighbouring tiles that need the column, at once.
      int begin = 0;
      while (of_tiles[begin] <= column) ++begin;
      int end = tiles;
      while (of_tiles[end - 1] <= column) --end;
      compute(selection, coefficients, tiles_of(job, begin, end), scratch);
    }
  }
}

}  // namespace isolume::orbitals
