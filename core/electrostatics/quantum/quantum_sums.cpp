#include "core/electrostatics/quantum/quantum_sums.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/sums/pair_potentials.h"

namespace isolume::electrostatics {
namespace {

using gaussians::PointTile;

double bohr_per(grid::LengthUnit unit) {
  return grid::shown_per_unit(unit) / grid::shown_per_unit(grid::LengthUnit::bohr);
}

/// A tile of points, and the destinations of their values.
struct TargetTile {
  PointTile points;
  std::array<std::size_t, PointTile::capacity> targets;

  void add(const Eigen::Vector3d& place_bohr, std::size_t target) {
    points.x[points.count] = place_bohr.x();
    points.y[points.count] = place_bohr.y();
    points.z[points.count] = place_bohr.z();
    targets[static_cast<std::size_t>(points.count++)] = target;
  }
  void pad() {
    for (auto* axis : {points.x, points.y, points.z})
      std::fill(axis + points.count, axis + PointTile::capacity, axis[points.count - 1]);
  }
};

class BlocksOfGrid {
 public:
  explicit BlocksOfGrid(const grid::Grid& grid) : BlocksOfGrid(grid, all_planes(grid)) {}
  BlocksOfGrid(const grid::Grid& grid, const GridPlanes& planes) : grid_(grid), planes_(planes) {
    const std::array<int, 3> n{planes.count(), grid.dimensions[1], grid.dimensions[2]};
    for (std::size_t axis = 0; axis < 3; ++axis)
      blocks_[axis] = static_cast<std::size_t>((n[axis] + edge - 1) / edge);
  }
  std::size_t count() const { return blocks_[0] * blocks_[1] * blocks_[2]; }
  std::size_t in_layer() const { return blocks_[0] * blocks_[1]; }
  void fill(std::size_t number, TargetTile& tile) const {
    const auto& n = grid_.dimensions;
    const double bohr = bohr_per(grid_.unit);
    const std::array<int, 3> first{planes_.first + edge * static_cast<int>(number % blocks_[0]),
                                   edge * static_cast<int>(number / blocks_[0] % blocks_[1]),
                                   edge * static_cast<int>(number / blocks_[0] / blocks_[1])};
    for (int k = first[2]; k < std::min(first[2] + edge, n[2]); ++k) {
      for (int j = first[1]; j < std::min(first[1] + edge, n[1]); ++j) {
        const std::size_t row =
            static_cast<std::size_t>(planes_.count()) *
            (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(k));
        for (int i = first[0]; i < std::min(first[0] + edge, planes_.end); ++i)
          tile.add(bohr * grid_.position(i, j, k), row + static_cast<std::size_t>(i - planes_.first));
      }
    }
  }

 private:
  static constexpr int edge = quantum_block_edge;
  static_assert(edge * edge * edge == PointTile::capacity);

  const grid::Grid& grid_;
  const GridPlanes planes_;
  std::array<std::size_t, 3> blocks_{};
};

/// Consecutive batches of points.
class RunsOfPlaces {
 public:
  RunsOfPlaces(const Places& places, std::span<const std::size_t> which) : places_(places), which_(which) {}
  std::size_t count() const { return (which_.size() + at_once - 1) / at_once; }
  void fill(std::size_t number, TargetTile& tile) const {
    const double bohr = bohr_per(grid::LengthUnit::angstrom);
    for (std::size_t n = number * at_once; n < std::min((number + 1) * at_once, which_.size()); ++n) {
      const std::size_t i = which_[n];
      tile.add(bohr * Eigen::Vector3d(places_.x[i], places_.y[i], places_.z[i]), n);
    }
  }

 private:
  static constexpr std::size_t at_once = 16;

  const Places& places_;
  const std::span<const std::size_t> which_;
};

template <class Tiles, class Value>
void sum_tile(const Tiles& tiles, std::size_t number, const QuantumProblem& problem, Value* values,
              const jobs::Progress& progress) {
  progress.check();
  TargetTile tile;
  tiles.fill(number, tile);
  tile.pad();
  problem.wavefunction.evaluate(tile.points, nearest * bohr_per(grid::LengthUnit::angstrom), progress);
  for (int i = 0; i < tile.points.count; ++i)
    values[tile.targets[static_cast<std::size_t>(i)]] =
        static_cast<Value>(problem.scale * tile.points.potential[i]);
}

template <class Tiles, class Value>
void sum_tiles(const Tiles& tiles, const QuantumProblem& problem, Value* values,
               const jobs::Progress& progress) {
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, tiles.count(), 1), [&](const auto& range) {
    for (std::size_t number = range.begin(); number != range.end(); ++number) {
      sum_tile(tiles, number, problem, values, progress);
      progress.report(static_cast<double>(++done) / static_cast<double>(tiles.count()), "potential");
    }
  });
}

/// Mean operations per point from a sample of tiles, distributed evenly.
template <class Tiles>
double mean_operations(const Tiles& tiles, const gaussians::WavefunctionPotential& wavefunction) {
  constexpr std::size_t most = 64;
  const std::size_t looked_at = std::min(tiles.count(), most);
  double sum = 0;
  for (std::size_t n = 0; n < looked_at; ++n) {
    TargetTile tile;
    tiles.fill((2 * n + 1) * tiles.count() / (2 * looked_at), tile);
    sum += wavefunction.sites().operations_a_point(gaussians::TileBox(tile.points));
  }
  constexpr double of_nucleus = 20;
  return of_nucleus * static_cast<double>(wavefunction.nuclei().size()) +
         sum / static_cast<double>(std::max<std::size_t>(looked_at, 1));
}

}  // namespace

void sum_quantum_on(const grid::Grid& grid, const QuantumProblem& problem, float* values,
                    const jobs::Progress& progress) {
  sum_tiles(BlocksOfGrid(grid), problem, values, progress);
}

void sum_quantum_on(const grid::Grid& grid, const GridPlanes& planes, const QuantumProblem& problem,
                    float* values, const jobs::Progress& progress) {
  sum_tiles(BlocksOfGrid(grid, planes), problem, values, progress);
}

void sum_quantum_on_layers(const grid::Grid& grid, int first, int count, const QuantumProblem& problem,
                           float* values, const jobs::Progress& progress) {
  const BlocksOfGrid blocks(grid);
  const auto layer = [](int k) {
    return static_cast<std::size_t>((k + quantum_block_edge - 1) / quantum_block_edge);
  };
  for (std::size_t number = layer(first) * blocks.in_layer();
       number < layer(first + count) * blocks.in_layer(); ++number)
    sum_tile(blocks, number, problem, values, progress);
}

std::vector<std::size_t> neighbours_in_order(const Places& places) {
  constexpr double cell_angstrom = 0.7;
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::array<std::int64_t, 3>> cells;
  cells.reserve(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    cells.push_back({});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = (axis == 0 ? places.z : axis == 1 ? places.y : places.x)[i];
      cells.back()[axis] = static_cast<std::int64_t>(std::floor(at / cell_angstrom));
    }
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cells[i]; });
  return order;
}

void sum_quantum_at(const Places& places, std::span<const std::size_t> which, const QuantumProblem& problem,
                    double* values, const jobs::Progress& progress) {
  sum_tiles(RunsOfPlaces(places, which), problem, values, progress);
}

void sum_quantum_at_some(const Places& places, std::span<const std::size_t> which,
                         const QuantumProblem& problem, double* values, const jobs::Progress& progress) {
  const RunsOfPlaces runs(places, which);
  for (std::size_t number = 0; number < runs.count(); ++number)
    sum_tile(runs, number, problem, values, progress);
}

double operations_on(const grid::Grid& grid, const QuantumProblem& problem) {
  return static_cast<double>(grid.point_count()) * mean_operations(BlocksOfGrid(grid), problem.wavefunction);
}

double operations_at(const Places& places, std::span<const std::size_t> which,
                     const QuantumProblem& problem) {
  return static_cast<double>(which.size()) *
         mean_operations(RunsOfPlaces(places, which), problem.wavefunction);
}

}  // namespace isolume::electrostatics
