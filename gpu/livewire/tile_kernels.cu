#include <algorithm>

#include "gpu/livewire/arc_costs.h"
#include "gpu/livewire/tile_kernels.h"

namespace isolume::gpu::livewire_kernels {
namespace {

constexpr unsigned every_lane = 0xffffffffU;
constexpr int side = static_cast<int>(tile_side);
constexpr int lanes = 32;
constexpr int warps = 4;
constexpr int threads = warps * lanes;
/// Each warp sweeps a band of the tile, each lane its pixels one after another.
constexpr int band = side / warps;
static_assert(side == lanes);

// A tile with its halo in shared memory; pixel (row, column) of the tile is at row + 1, column + 1. The
// length of rows avoids bank conflicts along both rows and columns.
constexpr int with_halo = side + 2;
constexpr int distance_pitch = with_halo + 1;
constexpr int cost_pitch = with_halo;
constexpr int cost_count = with_halo * cost_pitch;

/// Costs of entering the tile's pixels: from the node, or from a plane of costs for every direction.
template <bool arcs>
struct EnteringCosts {
  const std::uint16_t* costs;
  const std::uint32_t* length;

  __device__ std::uint32_t get(int direction, int row, int column) const {
    const int at = row * cost_pitch + column;
    if constexpr (arcs) {
      return costs[direction * cost_count + at];
    } else {
      return node_arc(costs[at], length[direction]);
    }
  }
};

struct TilePlace {
  std::uint32_t left, top;  ///< of its first pixel in the region
  int columns, rows;        ///< of its pixels that are in the region
};

__device__ TilePlace place_of(const SearchSpace& space, const Tiles& tiles, std::uint32_t tile) {
  TilePlace place{};
  place.left = tile % tiles.per_row * tile_side;
  place.top = tile / tiles.per_row * tile_side;
  place.columns = min(side, static_cast<int>(space.width - place.left));
  place.rows = min(side, static_cast<int>(space.height - place.top));
  return place;
}

/// Whether a pixel of the tile or its halo lies in the region.
__device__ bool in_region(const SearchSpace& space, const TilePlace& place, int row, int column) {
  return place.left + column >= 1 && place.left + column - 1 < space.width && place.top + row >= 1 &&
         place.top + row - 1 < space.height;
}

template <bool arcs, int directions>
__device__ void load(const SearchSpace& space, const TilePlace& place, const std::uint32_t* from,
                     std::uint32_t* distance, std::uint16_t* costs) {
  for (int i = static_cast<int>(threadIdx.x); i < with_halo * with_halo; i += threads) {
    const int row = i / with_halo;
    const int column = i - row * with_halo;
    const bool inside = in_region(space, place, row, column);
    const std::uint32_t x = place.left + column - 1;
    const std::uint32_t y = place.top + row - 1;
    // Reads past the first cache, which does not see other blocks' writes.
    distance[row * distance_pitch + column] =
        inside ? __ldcg(&from[static_cast<std::size_t>(y) * space.pitch + x]) : far_away;
    if constexpr (arcs) {
      // Stored at the pixel that each arc enters. Arcs that leave the tile with its halo are not needed.
      const LeavingArcs<true, directions> leaving(space, inside ? x : 0, inside ? y : 0);
#pragma unroll
      for (int d = 0; d < directions; ++d) {
        const int to_row = row + step_y(d);
        const int to_column = column + step_x(d);
        if (to_row < 0 || to_row >= with_halo || to_column < 0 || to_column >= with_halo) continue;
        costs[d * cost_count + to_row * cost_pitch + to_column] =
            inside ? static_cast<std::uint16_t>(leaving.cost(d)) : std::uint16_t{0};
      }
    } else {
      costs[row * cost_pitch + column] = inside ? space.costs[grid_index(space, x, y)] : std::uint16_t{0};
    }
  }
}

/// Updates every pixel from the three behind it, along columns (`vertical`) or rows: a warp processes its
/// band, and each lane passes its result to its neighbours. Returns whether any distance decreased.
template <bool arcs, int directions, bool vertical, bool forward>
__device__ bool sweep(const EnteringCosts<arcs>& costs, const TilePlace& place, std::uint32_t* distance) {
  // The direction from the pixel behind, and those from the pixels behind in the adjacent lanes.
  constexpr int straight = vertical ? (forward ? 1 : 3) : (forward ? 0 : 2);
  constexpr int from_before = vertical ? (forward ? 4 : 7) : (forward ? 4 : 5);
  constexpr int from_after = vertical ? (forward ? 5 : 6) : (forward ? 7 : 6);
  constexpr int step = forward ? 1 : -1;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  const int last_along = vertical ? place.rows : place.columns;
  const bool lane_open = lane < (vertical ? place.columns : place.rows);
  const auto at = [&](int along, int across) -> std::uint32_t& {
    return distance[vertical ? along * distance_pitch + across : across * distance_pitch + along];
  };

  int along = forward ? warp * band + 1 : (warp + 1) * band;
  std::uint32_t behind = at(along - step, lane + 1);
  __syncthreads();  // the band behind changes values that were read here
  bool changed = false;
  for (int k = 0; k < band; ++k, along += step) {
    const int row = vertical ? along : lane + 1;
    const int column = vertical ? lane + 1 : along;
    std::uint32_t nearest = behind + costs.get(straight, row, column);
    if constexpr (directions == 8) {
      std::uint32_t before = __shfl_up_sync(every_lane, behind, 1);
      std::uint32_t after = __shfl_down_sync(every_lane, behind, 1);
      if (lane == 0) before = at(along - step, 0);
      if (lane == lanes - 1) after = at(along - step, side + 1);
      nearest = min(nearest, before + costs.get(from_before, row, column));
      nearest = min(nearest, after + costs.get(from_after, row, column));
    }
    std::uint32_t& here = at(along, lane + 1);
    behind = here;
    if (nearest < behind && lane_open && along <= last_along) {
      here = behind = nearest;
      changed = true;
    }
  }
  return __syncthreads_or(changed) != 0;
}

/// Repeats sweeps, one each way in turn, until four in a row change nothing; returns their number.
template <bool arcs, int directions>
__device__ std::uint32_t sweep_until_stable(const EnteringCosts<arcs>& costs, const TilePlace& place,
                                            std::uint32_t* distance) {
  std::uint32_t sweeps = 0;
  int quiet = 0;
  const auto unsettled = [&](bool changed) {
    ++sweeps;
    quiet = changed ? 0 : quiet + 1;
    return quiet < 4;
  };
  while (unsettled(sweep<arcs, directions, true, true>(costs, place, distance)) &&
         unsettled(sweep<arcs, directions, true, false>(costs, place, distance)) &&
         unsettled(sweep<arcs, directions, false, true>(costs, place, distance)) &&
         unsettled(sweep<arcs, directions, false, false>(costs, place, distance))) {
  }
  return sweeps;
}

/// The smallest distance of a pixel of the halo by arcs out of the tile.
template <bool arcs, int directions>
__device__ std::uint32_t nearest_from_tile(const EnteringCosts<arcs>& costs, const std::uint32_t* distance,
                                           int row, int column) {
  std::uint32_t nearest = far_away;
#pragma unroll
  for (int d = 0; d < directions; ++d) {
    const int from_row = row - step_y(d);
    const int from_column = column - step_x(d);
    if (from_row < 1 || from_row > side || from_column < 1 || from_column > side) continue;
    nearest = min(nearest, distance[from_row * distance_pitch + from_column] + costs.get(d, row, column));
  }
  return nearest;
}

/// `woken[3 * (dy + 1) + dx + 1]` becomes the smallest distance that the neighbour there can take over.
template <bool arcs, int directions>
__device__ void wake_neighbours(const SearchSpace& space, const TilePlace& place,
                                const EnteringCosts<arcs>& costs, const std::uint32_t* distance,
                                std::uint32_t* woken) {
  // The surroundings of the tile: above, below, left, right; the corners belong to the first two.
  for (int i = static_cast<int>(threadIdx.x); i < 4 * with_halo; i += threads) {
    const int edge = i / with_halo;
    const int along = i - edge * with_halo;
    const int row = edge == 0 ? 0 : edge == 1 ? side + 1 : along;
    const int column = edge == 2 ? 0 : edge == 3 ? side + 1 : along;
    if (edge >= 2 && (along == 0 || along == side + 1)) continue;
    if (!in_region(space, place, row, column)) continue;
    const auto nearest = nearest_from_tile<arcs, directions>(costs, distance, row, column);
    if (nearest >= distance[row * distance_pitch + column]) continue;
    const int dy = row == 0 ? 0 : row == side + 1 ? 2 : 1;
    const int dx = column == 0 ? 0 : column == side + 1 ? 2 : 1;
    atomicMin(&woken[3 * dy + dx], nearest);
  }
}

template <bool arcs, int directions>
__global__ void __launch_bounds__(threads) relax_tiles(SearchSpace space, Tiles tiles) {
  __shared__ std::uint32_t distance[with_halo * distance_pitch];
  __shared__ std::uint16_t entering[(arcs ? directions : 1) * cost_count];
  __shared__ std::uint32_t woken[9];
  const EnteringCosts<arcs> costs{entering, space.length};
  for (std::uint32_t i = blockIdx.x; i < tiles.state->count; i += gridDim.x) {
    const std::uint32_t tile = tiles.list[i];
    const TilePlace place = place_of(space, tiles, tile);
    __syncthreads();  // the previous tile is no longer needed
    if (threadIdx.x < 9) woken[threadIdx.x] = far_away;
    load<arcs, directions>(space, place, tiles.distance, distance, entering);
    __syncthreads();
    const std::uint32_t sweeps = sweep_until_stable<arcs, directions>(costs, place, distance);
    for (int pixel = static_cast<int>(threadIdx.x); pixel < side * side; pixel += threads) {
      const int row = pixel / side;
      const int column = pixel % side;
      if (row >= place.rows || column >= place.columns) continue;
      // Blocks of neighbouring tiles may read it at the same time; if they miss a change, it wakes them
      // again.
      __stcg(&tiles.distance[static_cast<std::size_t>(place.top + row) * space.pitch + place.left + column],
             distance[(row + 1) * distance_pitch + column + 1]);
    }
    wake_neighbours<arcs, directions>(space, place, costs, distance, woken);
    __syncthreads();
    if (threadIdx.x < 9 && woken[threadIdx.x] < far_away) {
      // Stays in the region, because only its pixels are checked.
      const auto neighbour = static_cast<int>(tile) +
                             (static_cast<int>(threadIdx.x) / 3 - 1) * static_cast<int>(tiles.per_row) +
                             static_cast<int>(threadIdx.x) % 3 - 1;
      atomicMin(&tiles.wake[neighbour], woken[threadIdx.x]);
    }
    if (threadIdx.x == 0) atomicAdd(&tiles.state->sweeps, sweeps);
  }
}

/// One block: lists the tiles within `delta` of the nearest, and puts them to sleep.
__global__ void list_near_tiles(Tiles tiles, std::uint32_t delta) {
  __shared__ std::uint32_t nearest;
  __shared__ std::uint32_t count;
  if (threadIdx.x == 0) {
    nearest = far_away;
    count = 0;
  }
  __syncthreads();
  std::uint32_t mine = far_away;
  for (std::uint32_t tile = threadIdx.x; tile < tiles.count; tile += blockDim.x) {
    mine = min(mine, tiles.wake[tile]);
  }
  if (mine < far_away) atomicMin(&nearest, mine);
  __syncthreads();
  const std::uint32_t end = delta < far_away - nearest ? nearest + delta : far_away;
  for (std::uint32_t tile = threadIdx.x; tile < tiles.count; tile += blockDim.x) {
    if (tiles.wake[tile] >= end) continue;
    tiles.wake[tile] = far_away;
    tiles.list[atomicAdd(&count, 1U)] = tile;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  tiles.state->count = count;
  if (count == 0) return;
  tiles.state->passes += 1;
  tiles.state->visits += count;
}

__global__ void clear_tiles(SearchSpace space, Tiles tiles, std::uint32_t seed_x, std::uint32_t seed_y) {
  const std::size_t pixels = static_cast<std::size_t>(space.pitch) * space.height;
  const std::size_t seed = static_cast<std::size_t>(seed_y) * space.pitch + seed_x;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::uint32_t seed_tile = seed_y / tile_side * tiles.per_row + seed_x / tile_side;
  for (std::size_t i = first; i < pixels; i += stride) tiles.distance[i] = i == seed ? 0 : far_away;
  for (std::size_t i = first; i < tiles.count; i += stride) tiles.wake[i] = i == seed_tile ? 0 : far_away;
  if (first == 0) *tiles.state = {};
}

}  // namespace

void begin_tiles(const SearchSpace& space, const Tiles& tiles, std::uint32_t seed_x, std::uint32_t seed_y,
                 const Stream& stream) {
  launch(clear_tiles, dim3(std::min(tiles.count, 1024U)), dim3(256), 0, stream, space, tiles, seed_x, seed_y);
}

void tile_pass(const SearchSpace& space, const Tiles& tiles, std::uint32_t delta, std::uint32_t most_blocks,
               const Stream& stream) {
  const unsigned listing_threads = std::min(1024U, (tiles.count + lanes - 1) / lanes * lanes);
  launch(list_near_tiles, dim3(1), dim3(listing_threads), 0, stream, tiles, delta);
  launch_for(space, [&]<bool arcs, int directions>() {
    launch(relax_tiles<arcs, directions>, dim3(std::min(tiles.count, most_blocks)), dim3(threads), 0, stream,
           space, tiles);
  });
}

}  // namespace isolume::gpu::livewire_kernels
