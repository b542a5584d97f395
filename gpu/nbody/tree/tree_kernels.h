#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/tree/walk_kernels.h"

/// An octree built on the device, identical to the CPU's cell by cell (core/nbody/forces/octree.cpp): bodies are
/// sorted along Hilbert's curve; the cells of a level are divided at the first differing bits of their
/// bodies' keys, all of a level in parallel; then sizes and sums are computed from the lowest level up, and
/// positions in the order of the walk from the highest down. (After the trees of Karras, High Performance
/// Graphics 2012, and of Burtscher and Pingali; but no thread waits for others, and sums have a fixed order,
/// so that every device gives the same bits.)
///
/// Bounds: keys, sorting and gathering move about 300 bytes per body (the radix sort 8 times 24), a cell
/// about 500; with one cell for 8 bodies that is below 400 bytes per body.
namespace isolume::gpu::nbody_kernels {

/// Number of bits of a key along the curve.
inline constexpr int key_bits = 63;

/// Positions are converted to integers, (place - low) * scale, and to scaled units, (place - centre) /
/// length.
struct Scaling {
  double low[3];
  double scale;  ///< 0: all bodies are at one position
  double centre[3];
  double length;
  double mass_sum;
};

/// Counts made while a tree is built, read by the host.
struct Totals {
  std::uint32_t children[key_bits / 3 + 2];  ///< of each level
  std::uint32_t groups;
  std::uint32_t largest_leaf;  ///< of those whose bodies are not all at one position
};

/// A cell of one level.
struct Node {
  std::uint32_t begin, end;       ///< bodies
  std::uint32_t first, children;  ///< in the next level; no children: a leaf
  std::uint32_t size;             ///< number of cells in it, including itself
  std::uint32_t number;           ///< in the order of the walk
};

/// Sums from which parent cells are computed.
struct NodeSums {
  double mass;
  double place[3];  ///< the centre of mass; the box's middle if there is no mass
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
/// One cell with all bodies; all counts are 0.
void make_root(Node* root, std::uint32_t bodies, Totals* totals, const Stream& stream);
/// Number of parts of each cell of a level; 0 for at most `leaf_size` bodies or if all have one key. Adds
/// them to `total`.
void count_children(const std::uint64_t* keys, const Level& level, std::uint32_t leaf_size,
                    std::uint32_t* counts, std::uint32_t* total, const Stream& stream);
/// `sums`: cumulative number of parts, including each cell's.
void make_children(const std::uint64_t* keys, const Level& level, const std::uint32_t* counts,
                   const std::uint32_t* sums, Node* children, const Stream& stream);
/// Sizes of a level from those of its children (null: there are none).
void add_sizes(const Level& level, const Node* children, const Stream& stream);
/// Numbers the children of a level that is numbered itself.
void number_children(const Level& level, Node* children, const Stream& stream);
/// Sums of a level from those of its parts in the next one, and its cells; `largest_leaf` as in Totals.
void sum_level(const Level& level, const NodeSums* parts, NodeSums* sums, const WalkBody* bodies,
               double opening_angle, WalkCell* cells, std::uint32_t* largest_leaf, const Stream& stream);
/// Number of groups of each chunk of walk_group_size bodies. Adds them to `total`, and sets the first offset
/// to 0.
void count_groups(const WalkBody* bodies, std::uint32_t count, std::uint32_t* counts, std::uint32_t* offsets,
                  std::uint32_t* total, const Stream& stream);
/// `offsets`: first group of each chunk.
void make_groups(const WalkBody* bodies, std::uint32_t count, const std::uint32_t* offsets, WalkGroup* groups,
                 const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
