#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/pair_softening.h"
#include "gpu/nbody/tree/walk_kernels.h"
#include "gpu/runtime/streams/stream_name.h"

/// Direct sums over all pairs of bodies. As on the CPU, positions of sources relative to their targets are
/// computed in double precision, pairs are added in single precision, and the sums of a tile of sources in
/// double.
///
/// Bounds: a pair takes 13 single-precision operations (3 for the distance, 3 for its square, 3 for the
/// force, 3 for the acceleration, 1 for the potential, which may be left out; those of the square and the
/// acceleration are fused, so 19 flop and a root make the usual 20) and 1 inverse root. A block reads 32 bytes per
/// source for up to 256 targets, 1/8 byte per pair, nearly all of it from the second cache: operations are the limit.
/// Spline softening takes about twice the operations in tiles within its support of a group, and the same in others.
namespace isolume::gpu::nbody_kernels {

/// Number of sources in shared memory at once, which are added up in single precision.
inline constexpr std::uint32_t tile_size = 512;
/// Maximum number of bodies in a group; slabs best begin at multiples of this.
inline constexpr std::uint32_t group_size = 256;

using Body = WalkBody;

struct Box {
  double low[3], high[3];
};

/// Consecutive bodies that are near each other.
struct Group {
  double place[3];  ///< origin of distances: the middle of its box
  double half[3];   ///< of the box's sides
  std::uint32_t first, end;
};

struct DirectSources {
  const Body* bodies;  ///< sorted along a curve
  const Box* tiles;    ///< boxes of tile_size bodies each
  const Group* groups;
  std::uint32_t count;  ///< of the bodies
  std::uint32_t parts;  ///< number of parts in which the sources are summed concurrently
  PairSoftening softening;
};

/// A run of groups, and their requested bodies.
struct DirectTargets {
  std::uint32_t first_group, groups;
  std::uint32_t first, count;  ///< bodies
  bool potentials;             ///< otherwise these are 0; accelerations are the same bits
};

/// For one target and one part of the sources.
inline constexpr std::size_t scratch_bytes = 32;
/// Queues the sums for some targets. `scratch`: scratch_bytes for each of count x parts. Field k (x, y, z,
/// potential) of body `first + i` goes to out[k * field_stride + i]. The results do not depend on the other
/// targets.
void sum_pairs(const DirectSources& sources, const DirectTargets& targets, std::byte* scratch, float* out,
               std::size_t field_stride, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
