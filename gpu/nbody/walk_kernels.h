#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/stream_name.h"

/// Walks through an octree, a warp for each group of bodies (Burtscher and Pingali, GPU Computing Gems, Emerald
/// Edition, chapter 6; groups after Barnes, J. Comput. Phys. 87, 161 (1990)). Cells follow each other in the order
/// of the walk and each knows the one after all of those in it, so a walk needs no stack: it goes on to the next
/// cell where this one is opened, and past it where it acts as a whole or is a leaf. All lanes walk together;
/// each sums for two bodies.
///
/// Bounds: a cell that acts takes some 45 operations of single precision a body, a body 13, each an inverse root;
/// a cell that is looked at, 80 bytes a warp and some 25 operations a lane, of which 3 in double precision: where a
/// GPU has few units for these, they limit the walk.
namespace isolume::gpu::nbody_kernels {

/// Bodies of a group at most.
inline constexpr std::uint32_t walk_group_size = 64;

struct alignas(16) WalkBody {
  double x, y, z, mass;
};

/// Scaled units. Places are of the centre of mass.
struct alignas(16) WalkCell {
  double x, y, z;
  float mass;
  float radius;              ///< it acts as a whole on nothing that is nearer
  float opening_by_angle;    ///< nor than this distance,
  float opening_by_error;    ///< or this one times the group's factor
  std::uint32_t next;        ///< the cell after all of those in this one; a leaf's is the one after itself
  std::uint32_t begin, end;  ///< its bodies
  float xx, xy, xz, yy, yz, zz;  ///< sum_j m_j d_a d_b about the centre of mass
};

struct WalkGroup {
  double place[3];  ///< what distances are relative to: the middle of its box
  float half[3];    ///< of the box's sides, not less
  std::uint32_t first, end;
  std::uint32_t rest;  ///< 0: groups are read 16 bytes at a time
};

/// Bodies from a multiple of walk_group_size to the next: no group is in two of them.
constexpr std::uint32_t chunks_of(std::uint32_t bodies) {
  return (bodies + walk_group_size - 1) / walk_group_size;
}

struct WalkTree {
  const WalkBody* bodies;         ///< in their order along a curve
  const std::uint32_t* original;  ///< their numbers before
  const WalkCell* cells;
  const WalkGroup* groups;
  const std::uint32_t* chunk_groups;  ///< where each chunk's begin, and the end
  std::uint32_t cell_count;
  /// Above 0: groups are walked for twice. From forces that are about right, the factor of openings by error is such
  /// that a cell may leave out this part of the force that three quarters of a group's bodies feel more than.
  float share;
  float softening_squared;
};

/// x, y and z of the acceleration, the potential, how many bodies and how many cells acted, and the bits of the
/// body's number before.
inline constexpr int walk_fields = 7;
/// Queues the sums for some bodies. Field k of body `first + i` goes to out[k * field_stride + i]. They do not depend
/// on which others there are.
void walk(const WalkTree& tree, std::uint32_t first, std::uint32_t count, float* out,
          std::size_t field_stride, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
