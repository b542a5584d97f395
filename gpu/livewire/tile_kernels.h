#pragma once

#include "gpu/livewire/search_space.h"
#include "gpu/runtime/streams/stream_name.h"

/// Shortest paths tile by tile, as in the fast iterative method (Jeong and Whitaker, SIAM J. Sci. Comput. 30,
/// 2512 (2008)), with a list of active tiles that is processed by distance (near-far). A block loads a tile
/// with its halo into shared memory, sweeps it down, up, right and left until nothing changes, writes it back
/// and wakes the neighbours whose distances it shortens. A pass processes all awake tiles within `delta` of
/// the nearest one.
///
/// By arithmetic, for one visit of a tile with n bytes of costs per pixel (2 as nodes, 2 per direction as
/// arcs): 34 * 34 * (4 + n) bytes read, 4096 written, at most 8 atomic operations on other tiles' words; a
/// sweep relaxes 3 arcs per pixel (1 with four neighbours) in shared memory. The number of passes is at least
/// the number of tiles along the path that crosses most of them.
namespace isolume::gpu::livewire_kernels {

inline constexpr std::uint32_t tile_side = 32;

struct TileState {
  std::uint32_t count;  ///< tiles of this pass; 0: all distances are final
  std::uint32_t passes;
  std::uint32_t visits;
  std::uint32_t sweeps;  ///< over a tile
};

struct Tiles {
  std::uint32_t* distance;
  std::uint32_t* wake;  ///< for each tile: the least distance that it can take over; far_away while it sleeps
  std::uint32_t* list;  ///< room for every tile
  TileState* state;
  std::uint32_t per_row, count;
};

/// Marks all pixels as unreached and all tiles as asleep, except for the seed, a pixel of the region.
void begin_tiles(const SearchSpace& space, const Tiles& tiles, std::uint32_t seed_x, std::uint32_t seed_y,
                 const Stream& stream);
/// Does nothing once all distances are final. `delta` is at least 1.
void tile_pass(const SearchSpace& space, const Tiles& tiles, std::uint32_t delta, std::uint32_t most_blocks,
               const Stream& stream);

}  // namespace isolume::gpu::livewire_kernels
