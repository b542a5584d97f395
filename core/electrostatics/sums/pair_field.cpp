#include "core/electrostatics/sums/pair_field.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// Points of a grid along x, y and z for which charges are gathered together.
struct Tile {
  std::array<int, 3> first, last;  ///< indices
  Vector3d low, high, middle;      ///< in angstrom
};

class Tiles {
 public:
  Tiles(const grid::Grid& grid, const GridPlanes& planes, const std::array<int, 3>& sides)
      : grid_(grid), sides_(sides), before_(planes.first), end_(grid.dimensions) {
    end_[0] = planes.end;
    for (std::size_t axis = 0; axis < 3; ++axis)
      counts_[axis] = (end_[axis] - (axis == 0 ? before_ : 0) + sides[axis] - 1) / sides[axis];
  }

  std::size_t size() const { return in_layer() * static_cast<std::size_t>(counts_[2]); }
  /// Consecutive tiles of the same planes.
  std::size_t in_layer() const { return static_cast<std::size_t>(counts_[0]) * counts_[1]; }
  Tile tile(std::size_t number) const {
    Tile tile;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      tile.first[axis] = static_cast<int>(number % counts_[axis]) * sides_[axis] + (axis == 0 ? before_ : 0);
      tile.last[axis] = std::min(tile.first[axis] + sides_[axis], end_[axis]) - 1;
      number /= static_cast<std::size_t>(counts_[axis]);
    }
    tile.low = point(tile.first[0], tile.first[1], tile.first[2]);
    tile.high = point(tile.last[0], tile.last[1], tile.last[2]);
    tile.middle = (tile.low + tile.high) / 2;
    return tile;
  }
  /// In angstrom.
  Vector3d point(int i, int j, int k) const {
    return grid_.position(i, j, k) * grid::shown_per_unit(grid_.unit);
  }

 private:
  const grid::Grid& grid_;
  std::array<int, 3> sides_;
  int before_;  ///< planes before the first tile
  std::array<int, 3> end_, counts_{};
};

/// Calls `add(charges)` with batches of all charges, relative to the centre of the tile: for laws without a cut-off.
template <class Add>
void for_all_charges(const Tile& tile, const Bins& bins, const jobs::Progress& progress, const Add& add) {
  const Sources& sources = bins.sorted();
  TileCharges some;
  for (std::size_t first = 0; first < sources.size(); first += TileCharges::capacity) {
    some.count = static_cast<int>(std::min<std::size_t>(sources.size() - first, TileCharges::capacity));
    for (int i = 0; i < some.count; ++i) {
      const std::size_t n = first + static_cast<std::size_t>(i);
      some.x[i] = static_cast<float>(sources.x[n] - tile.middle.x());
      some.y[i] = static_cast<float>(sources.y[n] - tile.middle.y());
      some.z[i] = static_cast<float>(sources.z[n] - tile.middle.z());
      some.charge[i] = static_cast<float>(sources.charge[n]);
    }
    progress.check();
    add(some);
  }
}

/// Calls `add(charges)` with batches of one sign that contain all charges within the cut-off of a tile.
template <class Add>
void for_charges_near(const Tile& tile, const Bins& bins, const PairTerms& terms,
                      const jobs::Progress& progress, const Add& add) {
  const Sources& sources = bins.sorted();
  const double units = units_per_angstrom(terms);
  const Vector3d half = units * (tile.high - tile.low) / 2;
  // Slightly larger, because of single precision.
  const TileBox box{
      {tile.middle.x(), tile.middle.y(), tile.middle.z()},
      units,
      {static_cast<float>(half.x()), static_cast<float>(half.y()), static_cast<float>(half.z())},
      static_cast<float>(1.00001 * units * terms.cutoff)};
  TileCharges positive, negative;
  const auto flush = [&](int least) {
    progress.check();
    for (TileCharges* some : {&positive, &negative}) {
      if (some->count < least) continue;
      add(*some);
      some->count = 0;
    }
  };
  bins.near(tile.low, tile.high, terms.cutoff, [&](std::size_t first, std::size_t end) {
    while (first < end) {
      first += sort_near(box, sources.x.data() + first, sources.y.data() + first, sources.z.data() + first,
                         sources.charge.data() + first, end - first, positive, negative);
      if (first < end) flush(TileCharges::capacity);
    }
  });
  flush(1);
}

/// Destination of sums on a grid.
struct FieldSums {
  const grid::Grid& grid;
  GridPlanes planes;
  const Bins& bins;
  const PairTerms& terms;
  double scale;
  float* values;

  float* at(int i, int j, int k) const {
    return values + static_cast<std::size_t>(i - planes.first) +
           static_cast<std::size_t>(planes.end - planes.first) *
               (static_cast<std::size_t>(j) + static_cast<std::size_t>(grid.dimensions[1]) * k);
  }
};

/// For laws without a cut-off.
constexpr std::array<int, 3> rows_of_tile{TileRow::capacity, 4, 4};

void sum_rows(const FieldSums& sums, const Tiles& tiles, const Tile& tile, const jobs::Progress& progress) {
  std::vector<TileRow> rows;
  for (int k = tile.first[2]; k <= tile.last[2]; ++k) {
    for (int j = tile.first[1]; j <= tile.last[1]; ++j) {
      TileRow& row = rows.emplace_back();
      row.count = tile.last[0] - tile.first[0] + 1;
      for (int i = 0; i < row.count; ++i)
        row.x[i] = static_cast<float>(tiles.point(tile.first[0] + i, j, k).x() - tile.middle.x());
      const Vector3d place = tiles.point(tile.first[0], j, k) - tile.middle;
      row.y = static_cast<float>(place.y());
      row.z = static_cast<float>(place.z());
    }
  }
  for_all_charges(tile, sums.bins, progress, [&](const TileCharges& charges) {
    for (TileRow& row : rows) add_to_row(row, charges, sums.terms);
  });
  const TileRow* row = rows.data();
  for (int k = tile.first[2]; k <= tile.last[2]; ++k) {
    for (int j = tile.first[1]; j <= tile.last[1]; ++j, ++row) {
      float* to = sums.at(tile.first[0], j, k);
      for (int i = 0; i < row->count; ++i) to[i] = static_cast<float>(sums.scale * row->potential[i]);
    }
  }
}

/// For laws with a cut-off: cubes fit its sphere better than rows. Charges are gathered for 16 x 16 x 8 points
/// together.
constexpr std::array<int, 3> blocks_of_tile{16, 16, 8};

/// Calls `use(block, i, j, k)` with each block of the tile and its first point.
template <class Use>
void for_blocks(std::vector<TileBlock>& blocks, const Tile& tile, const Use& use) {
  std::size_t number = 0;
  for (int k = tile.first[2]; k <= tile.last[2]; k += TileBlock::side) {
    for (int j = tile.first[1]; j <= tile.last[1]; j += TileBlock::side) {
      for (int i = tile.first[0]; i <= tile.last[0]; i += TileBlock::side) {
        if (number == blocks.size()) blocks.emplace_back();
        use(blocks[number++], i, j, k);
      }
    }
  }
}

void sum_blocks(const FieldSums& sums, const Tiles& tiles, const Tile& tile, const jobs::Progress& progress) {
  constexpr int side = TileBlock::side;
  std::vector<TileBlock> blocks;
  const double units = units_per_angstrom(sums.terms);
  // Points beyond the end of the grid are computed and discarded below.
  std::array<std::array<float, 16>, 3> along;
  for (int axis = 0; axis < 3; ++axis) {
    for (int at = 0; at < blocks_of_tile[static_cast<std::size_t>(axis)]; ++at) {
      auto index = tile.first;
      index[static_cast<std::size_t>(axis)] += at;
      along[static_cast<std::size_t>(axis)][static_cast<std::size_t>(at)] =
          static_cast<float>(units * (tiles.point(index[0], index[1], index[2])[axis] - tile.middle[axis]));
    }
  }
  for_blocks(blocks, tile, [&](TileBlock& block, int i, int j, int k) {
    const float* x = &along[0][static_cast<std::size_t>(i - tile.first[0])];
    const float* y = &along[1][static_cast<std::size_t>(j - tile.first[1])];
    for (int at = 0; at < side * side; ++at) {
      block.x[at] = x[at % side];
      block.y[at] = y[at / side];
    }
    std::copy_n(&along[2][static_cast<std::size_t>(k - tile.first[2])], side, block.z);
  });
  for_charges_near(tile, sums.bins, sums.terms, progress, [&](const TileCharges& charges) {
    for (std::size_t first = 0, end = 0; first < blocks.size(); first = end) {
      while (end < blocks.size() && blocks[end].z[0] == blocks[first].z[0]) ++end;
      add_to_layer(std::span(blocks).subspan(first, end - first), charges, sums.terms);
    }
  });
  for_blocks(blocks, tile, [&](const TileBlock& block, int i, int j, int k) {
    const double* from = block.potential;
    for (int at_k = k; at_k < k + side; ++at_k) {
      for (int at_j = j; at_j < j + side; ++at_j, from += side) {
        if (at_k > tile.last[2] || at_j > tile.last[1]) continue;
        float* to = sums.at(i, at_j, at_k);
        for (int at = 0; at < side && i + at <= tile.last[0]; ++at)
          to[at] = static_cast<float>(sums.scale * from[at]);
      }
    }
  });
}

const std::array<int, 3>& sides_of_tile(const PairTerms& terms) {
  return terms.cutoff > 0 ? blocks_of_tile : rows_of_tile;
}

void sum_tile(const FieldSums& sums, const Tiles& tiles, const Tile& tile, const jobs::Progress& progress) {
  (sums.terms.cutoff > 0 ? sum_blocks : sum_rows)(sums, tiles, tile, progress);
}

/// Calls `work(i)` for all i below `count` on all threads of the arena.
void for_each_part(std::size_t count, const jobs::Progress& progress,
                   const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(
      tbb::blocked_range<std::size_t>(0, count), [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          progress.check();
          work(i);
          progress.report(static_cast<double>(++done) / static_cast<double>(count), "potential");
        }
      });
}

}  // namespace

int planes_together(const PairTerms& terms) {
  return (terms.cutoff > 0 ? blocks_of_tile : rows_of_tile)[0];
}

void sum_pairs_on(const grid::Grid& grid, const Bins& bins, const PairTerms& terms, double scale,
                  float* values, const jobs::Progress& progress) {
  sum_pairs_on(grid, {0, grid.dimensions[0]}, bins, terms, scale, values, progress);
}

void sum_pairs_on(const grid::Grid& grid, const GridPlanes& planes, const Bins& bins, const PairTerms& terms,
                  double scale, float* values, const jobs::Progress& progress) {
  const FieldSums sums{grid, planes, bins, terms, scale, values};
  const Tiles tiles(grid, planes, sides_of_tile(terms));
  for_each_part(tiles.size(), progress,
                [&](std::size_t number) { sum_tile(sums, tiles, tiles.tile(number), progress); });
}

void sum_pairs_on_layers(const grid::Grid& grid, int first, int count, const Bins& bins,
                         const PairTerms& terms, double scale, float* values,
                         const jobs::Progress& progress) {
  static_assert(layers_at_once % rows_of_tile[2] == 0 && layers_at_once % blocks_of_tile[2] == 0);
  const GridPlanes all{0, grid.dimensions[0]};
  const FieldSums sums{grid, all, bins, terms, scale, values};
  const auto sides = sides_of_tile(terms);
  const Tiles tiles(grid, all, sides);
  const auto before = [&](int layer) {
    return static_cast<std::size_t>((layer + sides[2] - 1) / sides[2]) * tiles.in_layer();
  };
  for (std::size_t number = before(first); number < before(first + count); ++number)
    sum_tile(sums, tiles, tiles.tile(number), progress);
}

void sum_pairs_at(std::size_t count, const std::function<Vector3d(std::size_t)>& place, const Bins& bins,
                  const PairTerms& terms, double scale, const std::function<void(std::size_t, double)>& store,
                  const jobs::Progress& progress) {
  constexpr std::size_t at_once = 64;
  for_each_part((count + at_once - 1) / at_once, progress, [&](std::size_t part) {
    for (std::size_t i = part * at_once; i < std::min((part + 1) * at_once, count); ++i) {
      progress.check();
      store(i, sum_pairs_at(place(i), bins, terms, scale));
    }
  });
}

double sum_pairs_at(const Vector3d& place, const Bins& bins, const PairTerms& terms, double scale) {
  const Sources& sources = bins.sorted();
  double sum = 0;
  bins.near(place, place, terms.cutoff > 0 ? terms.cutoff : 1e300, [&](std::size_t first, std::size_t end) {
    sum += sum_at_point(place.x(), place.y(), place.z(), sources.x.data() + first, sources.y.data() + first,
                        sources.z.data() + first, sources.charge.data() + first, end - first, terms);
  });
  return scale * sum;
}

}  // namespace isolume::electrostatics
