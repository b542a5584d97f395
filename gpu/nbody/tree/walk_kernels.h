#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/pair_softening.h"
#include "gpu/runtime/streams/stream_name.h"

/// Walks through an octree, with one warp for each group of bodies (Burtscher and Pingali, GPU Computing
/// Gems, Emerald Edition, chapter 6; groups after Barnes, J. Comput. Phys. 87, 161 (1990)). Cells are stored
/// in the order of the walk and each knows the cell after its descendants, so a walk needs no stack: it
/// continues with the next cell if this one is opened, and skips its descendants if it acts as a whole or is
/// a leaf. All lanes walk together; each has two bodies.
///
/// Bounds: a cell that acts takes about 45 single-precision operations per body, a body 13, each with an
/// inverse root; testing a cell takes 80 bytes per warp and about 25 operations per lane, 3 of them in double
/// precision: on a GPU with few units for these, they limit the walk. Estimates take a walk for every 256 bodies, a
/// quarter of the walks of the sums.
namespace isolume::gpu::nbody_kernels {

/// Maximum number of bodies in a group.
inline constexpr std::uint32_t walk_group_size = 64;

struct alignas(16) WalkBody {
  double x, y, z, mass;
};

/// Scaled units. Positions are those of the centre of mass.
struct alignas(16) WalkCell {
  double x, y, z;
  float mass;
  float radius;                  ///< it does not act as a whole on anything closer
  float opening_by_angle;        ///< nor closer than this distance,
  float opening_by_error;        ///< or this one times the group's factor
  std::uint32_t next;            ///< the cell after its descendants; for a leaf the next one
  std::uint32_t begin, end;      ///< its bodies
  float xx, xy, xz, yy, yz, zz;  ///< sum_j m_j d_a d_b about the centre of mass
};

struct alignas(16) WalkGroup {
  double place[3];  ///< origin of distances: the middle of its box
  float half[3];    ///< of the box's sides, rounded up
  std::uint32_t first, end;
  std::uint32_t rest;  ///< 0: a group is read 16 bytes at a time, and whatever is read has been written
};

/// Chunks of bodies from one multiple of walk_group_size to the next: no group crosses their borders.
constexpr std::uint32_t chunks_of(std::uint32_t bodies) {
  return (bodies + walk_group_size - 1) / walk_group_size;
}

/// Bodies from one multiple of this to the next, whose forces are estimated together: those on one in four.
inline constexpr std::uint32_t region_size = 4 * walk_group_size, samples_of_region = walk_group_size;

/// Estimates for the regions of some bodies.
constexpr std::size_t estimates_of(std::uint32_t first, std::uint32_t count) {
  return count == 0
             ? 0
             : std::size_t{(first + count - 1) / region_size - first / region_size + 1} * samples_of_region;
}

struct WalkTree {
  const WalkBody* bodies;         ///< sorted along a curve
  const std::uint32_t* original;  ///< their original numbers
  const WalkCell* cells;
  const WalkGroup* groups;
  const std::uint32_t* chunk_groups;  ///< first group of each chunk, and the end
  std::uint32_t cell_count, body_count;
  /// If above 0, forces are estimated first. They determine the factor of the criterion by error: a cell may have an
  /// error of this part of the force that three quarters of a group's bodies exceed.
  float share;
  PairSoftening softening;
};

/// x, y and z of the acceleration, the potential, the numbers of bodies and of cells that acted, and the bits
/// of the body's original number.
inline constexpr int walk_fields = 7;
/// Queues the sums for some bodies. Field k of body `first + i` goes to out[k * field_stride + i]. `estimates`: memory
/// for estimates_of them, not used where no error is requested. The results do not depend on the other requested bodies.
void walk(const WalkTree& tree, std::uint32_t first, std::uint32_t count, float* estimates, float* out,
          std::size_t field_stride, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
