#include <algorithm>
#include <cmath>
#include <limits>

#include "core/orbitals/separable_grid.h"

/// Local densities on axis-aligned grids: the parts of SeparableGrid that compute a block's columns, and its
/// points from them.
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
  job.count_x = std::min(job.count_x - x, (last - first) * tile_x);
  return job;
}

/// The rows along x of a job's points, `values` being the first.
template <typename Values, typename Function>
void for_each_row(const separable::PencilJob& job, Values* values, Function function) {
  for (int z = 0; z < job.count_z; ++z) {
    for (int y = 0; y < job.count_y; ++y) function(values + y * job.y_stride + z * job.z_stride);
  }
}

}  // namespace

/// One of the block's four pencils; none beyond the grid.
std::optional<SeparableGrid::Window> SeparableGrid::window(const Block& block, int pencil) const {
  const int y = block.pencil_y + pencil % 2;
  const int z = block.pencil_z + pencil / 2;
  if (y >= blocks_y_ || z >= blocks_z_) return std::nullopt;
  return Window{z * blocks_y_ + y, block.tile, std::min(block.tile + Block::tiles_x, tiles_x_)};
}

/// For each group that extends into a pencil's tiles, the largest magnitude of its monomials there.
void SeparableGrid::bound(int pencil, const Window& window, Scratch& scratch) const {
  const Selection& selection = scratch.pencils[static_cast<std::size_t>(pencil)];
  for (int tile = 0; tile < window.last - window.first; ++tile) {
    std::int32_t before = -1;
    for (const auto& entry : selection.lists[static_cast<std::size_t>(tile)]) {
      const std::int32_t group = selection.terms[static_cast<std::size_t>(entry.term)].group;
      if (group == before) continue;
      before = group;
      std::int32_t& place = scratch.place_of[static_cast<std::size_t>(group)];
      if (place < 0) {
        place = static_cast<std::int32_t>(scratch.groups.size());
        scratch.groups.push_back(group);
        if (scratch.largest.size() < scratch.groups.size()) scratch.largest.emplace_back();
        std::ranges::fill(scratch.largest[static_cast<std::size_t>(place)], LocalDensity::TileValues::Zero());
      }
      bound_group(group, window, tile, pencil * Block::tiles_x + tile,
                  scratch.largest[static_cast<std::size_t>(place)]);
    }
  }
}

void SeparableGrid::bound_group(std::int32_t group, const Window& window, int tile, int column,
                                std::span<LocalDensity::TileValues> largest) const {
  const auto& tables = group_tables_[static_cast<std::size_t>(group)];
  const int whole_degree = groups_[static_cast<std::size_t>(group)].degree;
  const float* x = tables_[0].data() + tables.x_row + (window.first + tile) * tile_x;
  const float* y = tables_[1].data() + tables.y_row + window.pencil % blocks_y_ * block_y;
  const float* z = tables_[2].data() + tables.z_row + window.pencil / blocks_y_ * block_z;
  for (int i = 0; i <= tables.power_x; ++i) {
    const float at_x = largest_of(x + i * tables.x_stride, tile_x);
    for (int n = 0; n <= std::min(tables.degree, whole_degree - i); ++n) {
      for (int k = 0; k <= n; ++k) {
        largest[static_cast<std::size_t>(polynomial_row(whole_degree, i, n - k, k))][column] =
            at_x * largest_of(y + (n - k) * tables.y_stride, block_y) *
            largest_of(z + k * tables.z_stride, block_z);
      }
    }
  }
}

void SeparableGrid::reach(const Block& block, Scratch& scratch) const {
  scratch.place_of.resize(groups_.size(), -1);
  for (const std::int32_t group : scratch.groups) scratch.place_of[group] = -1;
  scratch.groups.clear();
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto tiles = window(block, pencil);
    if (!tiles) continue;
    select(*tiles, scratch.pencils[pencil]);
    bound(pencil, *tiles, scratch);
  }
  local_->start_block(scratch.local);
  for (std::size_t g = 0; g < scratch.groups.size(); ++g) {
    const auto& group = groups_[scratch.groups[g]];
    local_->add_group(group.first, std::span(scratch.largest[g]).first(polynomial_size(group.degree)),
                      scratch.local);
  }
}

void SeparableGrid::local_density(const Block& block, float* field, Scratch& scratch,
                                  const jobs::Progress& progress) const {
  reach(block, scratch);
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto tiles = window(block, pencil);
    if (!tiles) continue;
    const auto job = job_for(*tiles, scratch.pencils[static_cast<std::size_t>(pencil)]);
    for_each_row(job, field + first_point(*tiles), [&](float* row) { std::fill_n(row, job.count_x, 0.0F); });
  }
  LocalDensity::Scratch& local = scratch.local;
  LocalDensity::TileValues least = LocalDensity::TileValues::Zero();
  for (int part = 0; part < local_->part_count(); ++part) {
    local_->first_columns(part, local);
    const int first = local.column_count;
    add_columns(block, part, 0, LocalDensity::all(first), field, scratch, progress);
    // Negative weights, which are subtracted later, must not enter a lower bound.
    if (part == 0) least = least_values(block, field, scratch);
    add_columns(block, part, first, local_->further_columns(least, local), field, scratch, progress);
  }
}

/// The smallest magnitude in each tile, infinite beyond the end of the grid.
LocalDensity::TileValues SeparableGrid::least_values(const Block& block, const float* field,
                                                     Scratch& scratch) const {
  LocalDensity::TileValues least = LocalDensity::TileValues::Constant(std::numeric_limits<float>::infinity());
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto tiles = window(block, pencil);
    if (!tiles) continue;
    const auto whole_job = job_for(*tiles, scratch.pencils[static_cast<std::size_t>(pencil)]);
    for (int tile = 0; tile < tiles->last - tiles->first; ++tile) {
      const auto job = tiles_of(whole_job, tile, tile + 1);
      float& value = least[pencil * Block::tiles_x + tile];
      for_each_row(job, field + first_point(*tiles) + tile * tile_x, [&](const float* row) {
        for (int i = 0; i < job.count_x; ++i) value = std::min(value, std::abs(row[i]));
      });
    }
  }
  return least;
}

/// Adds the squares of columns `first` ... `last[tile] - 1` to each tile.
void SeparableGrid::add_columns(const Block& block, int part, int first,
                                const std::array<int, LocalDensity::tiles>& last, float* field,
                                Scratch& scratch, const jobs::Progress& progress) const {
  for (int pencil = 0; pencil < 4; ++pencil) {
    const auto tiles = window(block, pencil);
    if (!tiles) continue;
    progress.check();
    Selection& selection = scratch.pencils[static_cast<std::size_t>(pencil)];
    const auto add = [&](int begin, int end, int from, int to) {
      if (begin == end || from >= to) return;
      auto job = tiles_of(job_for(*tiles, selection), begin, end);
      job.store = separable::Store::add_squares;
      float* values = field + first_point(*tiles) + begin * tile_x;
      scratch.columns.clear();
      for (int column = from; column < to; ++column) {
        scratch.columns.push_back({scratch.local.columns.col(column).data(), values, local_->sign(part)});
      }
      job.columns = scratch.columns;
      separable::compute_pencil(job);
      scratch.operations += (to - from) * operations(selection, job);
    };
    const int* of_tile = last.data() + pencil * Block::tiles_x;
    if (tiles->last - tiles->first == 1) {
      add(0, 1, first, of_tile[0]);
    } else {  // columns needed by both tiles together, then the rest for the one that needs more
      const int both = std::min(of_tile[0], of_tile[1]);
      add(0, 2, first, both);
      add(0, 1, both, of_tile[0]);
      add(1, 2, both, of_tile[1]);
    }
  }
}

}  // namespace isolume::orbitals
