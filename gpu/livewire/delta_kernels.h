#pragma once

#include "gpu/livewire/search_space.h"
#include "gpu/runtime/streams/stream_name.h"

/// Delta-stepping (Meyer and Sanders, J. Algorithms 49, 114 (2003)) over many blocks. A bucket is a range of
/// distances [low, low + delta) that begins at the least distance not yet final; its pixels are listed when
/// it is opened, so buckets are not stored. Light arcs (cost up to delta) of the bucket are relaxed pass by
/// pass until it is stable, then once the heavy arcs of all its pixels. Every pass is one launch, and its
/// last block determines the next one: the host need not check.
///
/// By arithmetic, for a pixel in a pass: 12 bytes are read of it (its position in the list, distance, last
/// bucket) and 4 of each neighbour's distance, with 16 bytes of arcs, or 2 of each neighbour's node (half of
/// these with four neighbours). An arc that shortens a distance costs 2 atomic operations (on its distance,
/// and to list it once) and 4 bytes of list. A block adds 3 for every 128 pixels, and 3 a pass.
namespace isolume::gpu::livewire_kernels {

/// The operation of a pass; see delta_kernels.cu.
struct DeltaPlan {
  std::uint32_t mode;
  std::uint32_t pass;        ///< its number, from 1
  std::uint32_t bucket;      ///< from 1
  std::uint32_t low, high;   ///< distances of the bucket
  std::uint32_t todo;        ///< entries of the list that the pass goes through
  std::uint32_t near_from;   ///< which of the two lists it reads; it appends to the other
  std::uint32_t later_into;  ///< which of the two lists it appends to
};

struct DeltaState {
  DeltaPlan plan;               ///< of the next pass
  std::uint32_t listed[3];      ///< number so far: near, later, settled
  std::uint32_t nearest_later;  ///< least distance of the pixels listed as later that are not final
  std::uint32_t blocks_ended;   ///< of the pass
  std::uint32_t overflowed;     ///< a list was full, which must not happen
  unsigned long long relaxations;
};

struct DeltaLists {
  std::uint32_t* distance;
  std::uint32_t* listed_near;   ///< for each pixel: the last pass that put it on the list `near`
  std::uint32_t* listed_later;  ///< whether it is on the list `later`
  std::uint32_t* last_bucket;   ///< in which each pixel was settled; null without heavy arcs
  std::uint32_t* near[2];   ///< pixels of the bucket whose distance decreased: for this pass and the next one
  std::uint32_t* later[2];  ///< pixels beyond the bucket, and some that are final
  std::uint32_t* settled;   ///< pixels of the bucket; null without heavy arcs
  std::uint32_t capacity;   ///< of each list: one entry per pixel, as each is listed only once
  std::uint32_t delta;      ///< at least 1
  DeltaState* state;
};

/// Marks all pixels as unreached, except for the seed, a pixel of the region.
void begin_delta(const SearchSpace& space, const DeltaLists& lists, std::uint32_t seed_x,
                 std::uint32_t seed_y, const Stream& stream);
/// Does nothing once all distances are final.
void delta_pass(const SearchSpace& space, const DeltaLists& lists, std::uint32_t most_blocks,
                const Stream& stream);
bool is_done(const DeltaState& state);

}  // namespace isolume::gpu::livewire_kernels
