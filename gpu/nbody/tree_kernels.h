#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/walk_kernels.h"

/// An octree made on the device, cell for cell the CPU's (core/nbody/octree.cpp): bodies in the order of Hilbert's
/// curve; a level's cells are divided where the numbers of their bodies differ first, all of a level side by side;
/// then sizes and sums from the lowest level up, and places in the order of the walk from the highest down. (After
/// the trees of Karras, High Performance Graphics 2012, and of Burtscher and Pingali; but nothing waits for other
/// threads, and sums have one order, so that every device makes the same bits.)
///
/// Bounds: keys, sorting and gathering move some 300 bytes a body (the radix sort 8 times 24), a cell some 500;
/// with one cell for 8 bodies that is below 400 bytes a body.
namespace isolume::gpu::nbody_kernels {

/// Numbers along the curve have so many bits.
inline constexpr int key_bits = 63;

/// Places of bodies become whole numbers, (place - low) * scale, and scaled ones, (place - centre) / length.
struct Scaling {
  double low[3];
  double scale;  ///< 0: all bodies are at one place
  double centre[3];
  double length;
  double mass_sum;
};

/// What is counted while a tree is made, read by the host.
struct Totals {
  std::uint32_t children[key_bits / 3 + 2];  ///< of each level
  std::uint32_t groups;
  std::uint32_t largest_leaf;  ///< of those whose bodies are not all at one place
};

/// A cell of one level.
struct Node {
  std::uint32_t begin, end;       ///< bodies
  std::uint32_t first, children;  ///< in the next level; no children: a leaf
  std::uint32_t size;             ///< cells in it, itself with them
  std::uint32_t number;           ///< in the order of the walk
};

/// What cells above are made of.
struct NodeSums {
  double mass;
  double place[3];  ///< of the centre of mass; the box's middle where there is no mass
  double low[3], high[3];
  double radius;
  double second[6];
};

struct Level {
  Node* nodes;
  std::uint32_t count;
};

void number_bodies(const WalkBody* bodies, std::uint32_t count, const Scaling& scaling, std::uint64_t* keys,
                   std::uint32_t* order, const Stream& stream);
void gather_bodies(const WalkBody* bodies, const std::uint32_t* order, std::uint32_t count,
                   const Scaling& scaling, WalkBody* sorted, const Stream& stream);
/// One cell with all bodies; nothing has been counted.
void make_root(Node* root, std::uint32_t bodies, Totals* totals, const Stream& stream);
/// How many parts each cell of a level has; 0 for at most `leaf_size` bodies or where all have one number. Adds them to
/// `total`.
void count_children(const std::uint64_t* keys, const Level& level, std::uint32_t leaf_size,
                    std::uint32_t* counts, std::uint32_t* total, const Stream& stream);
/// `sums`: how many parts there are up to each cell's last.
void make_children(const std::uint64_t* keys, const Level& level, const std::uint32_t* counts,
                   const std::uint32_t* sums, Node* children, const Stream& stream);
/// Of a level, whose children (null: there are none) have theirs.
void add_sizes(const Level& level, const Node* children, const Stream& stream);
/// Numbers the children of a level, which has its own.
void number_children(const Level& level, Node* children, const Stream& stream);
/// Sums of a level from those of its parts in the next one, and its cells; `largest_leaf` as in Totals.
void sum_level(const Level& level, const NodeSums* parts, NodeSums* sums, const WalkBody* bodies,
               double opening_angle, WalkCell* cells, std::uint32_t* largest_leaf, const Stream& stream);
/// How many groups each chunk of walk_group_size bodies has. Adds them to `total`, and sets the first offset to 0.
void count_groups(const WalkBody* bodies, std::uint32_t count, std::uint32_t* counts, std::uint32_t* offsets,
                  std::uint32_t* total, const Stream& stream);
/// `offsets`: where each chunk's groups begin.
void make_groups(const WalkBody* bodies, std::uint32_t count, const std::uint32_t* offsets, WalkGroup* groups,
                 const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
