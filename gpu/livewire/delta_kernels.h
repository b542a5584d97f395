#pragma once

#include "gpu/livewire/search_space.h"
#include "gpu/runtime/stream_name.h"

/// Delta-stepping (Meyer and Sanders, J. Algorithms 49, 114 (2003)) over many blocks. A bucket is a range of
/// distances [low, low + delta) that begins at the least distance not yet final; its pixels are listed when
/// it is opened, so there is no store of buckets. Light arcs (cost up to delta) of the bucket are relaxed
/// pass by pass until it is stable, then once the heavy arcs of all that were in it. Every pass is one
/// launch, and its last block decides what the next one does: the host need not look.
///
/// By arithmetic, for a pixel in a pass: 12 bytes read of it (its place in the list, distance, last bucket)
/// and 4 of each neighbour's distance, with 16 bytes of arcs, or 2 of each neighbour's node (half of these
/// with four neighbours); an arc that brings a pixel nearer costs 2 atomic operations (on its distance, and
/// to list it once) and 4 bytes of list; a block adds 3 for every 128 pixels, and 3 a pass.
namespace isolume::gpu::livewire_kernels {

/// What a pass does; see delta_kernels.cu.
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
  std::uint32_t listed[3];      ///< so far: near, later, settled
  std::uint32_t nearest_later;  ///< of the pixels listed as later that are not final
  std::uint32_t blocks_ended;   ///< of the pass
  std::uint32_t overflowed;     ///< a list was full, which cannot be
  unsigned long long relaxations;
};

struct DeltaLists {
  std::uint32_t* distance;
  std::uint32_t* listed_near;   ///< of each pixel: the last pass that put it on the list `near`
  std::uint32_t* listed_later;  ///< whether it is on the list `later`
  std::uint32_t* last_bucket;   ///< in which it was settled; null without heavy arcs
  std::uint32_t* near[2];       ///< pixels of the bucket that came nearer: this pass's and the next one's
  std::uint32_t* later[2];      ///< pixels beyond the bucket, and some that are final
  std::uint32_t* settled;       ///< pixels of the bucket; null without heavy arcs
  std::uint32_t capacity;       ///< of each list: one entry a pixel, as each is listed once at a time
  std::uint32_t delta;          ///< at least 1
  DeltaState* state;
};

/// Everything unreached, but for the seed, a pixel of the region.
void begin_delta(const SearchSpace& space, const DeltaLists& lists, std::uint32_t seed_x,
                 std::uint32_t seed_y, const Stream& stream);
/// Does nothing once all distances are final.
void delta_pass(const SearchSpace& space, const DeltaLists& lists, std::uint32_t most_blocks,
                const Stream& stream);
bool is_done(const DeltaState& state);

}  // namespace isolume::gpu::livewire_kernels
