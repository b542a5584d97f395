#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/walk_kernels.h"
#include "gpu/runtime/stream_name.h"

/// Sums over every pair of bodies. As the CPU's: sources are brought near their targets in double precision, pairs
/// are added in single precision, and the sums of a tile of sources are added up in double.
///
/// Bounds: a pair takes 13 operations of single precision (3 for the distance, 3 for its square, 3 for the pull,
/// 3 for the acceleration, 1 for the potential; those of the square and the acceleration are fused, so 19 flop and a
/// root make the usual 20) and 1 inverse root. A block reads 32 bytes a source for up to 256 targets, 1/8 byte
/// a pair, nearly all of it from the second cache: the operations limit.
namespace isolume::gpu::nbody_kernels {

/// So many sources are in shared memory at once, and are added up in single precision.
inline constexpr std::uint32_t tile_size = 512;
/// Bodies of a group at most; slabs begin best at multiples of this.
inline constexpr std::uint32_t group_size = 256;

using Body = WalkBody;

struct Box {
  double low[3], high[3];
};

/// Bodies that follow each other and are near each other.
struct Group {
  double place[3];  ///< what distances are relative to: the middle of its box
  double half[3];   ///< of the box's sides
  std::uint32_t first, end;
};

struct DirectSources {
  const Body* bodies;  ///< in their order along a curve
  const Box* tiles;    ///< around tile_size bodies each
  const Group* groups;
  std::uint32_t count;  ///< of the bodies
  std::uint32_t parts;  ///< the sources are summed in so many, side by side
  float softening_squared;
};

/// A run of groups, and which bodies of theirs are wanted.
struct DirectTargets {
  std::uint32_t first_group, groups;
  std::uint32_t first, count;  ///< bodies
};

/// Of one target and one part of the sources.
inline constexpr std::size_t scratch_bytes = 32;
/// Queues the sums for some targets. `scratch`: scratch_bytes for each of count x parts. Field k (x, y, z, potential) of body `first + i` goes to
/// out[k * field_stride + i]. They do not depend on which other targets there are.
void sum_pairs(const DirectSources& sources, const DirectTargets& targets, std::byte* scratch, float* out,
               std::size_t field_stride, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
