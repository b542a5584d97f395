#pragma once

#include <cstddef>
#include <cstdint>

#include <vector_types.h>

#include "gpu/nbody/tree/walk_kernels.h"
#include "gpu/runtime/streams/stream_name.h"

/// The fast multipole method of core/multipoles, in single precision. The host makes the tree, the moments and
/// the lists of sources. A device converts the moments of distant cells to local expansions (M2L), moves these
/// from cells to their children (L2L) and evaluates them at the bodies of leaves (L2P), to which bodies of near
/// leaves are added pair by pair (P2P). Expansions are those of multipoles::Harmonics and, for softened gravity,
/// the Taylor series of core/multipoles/softening.h, whose terms of degree n are divided by unit^n here. Lists
/// are summed in their order, and sums are kept in double precision: the results are the same bits in any run.
///
/// Bounds. P2P: a pair takes 13 single-precision operations and 1 inverse root, and 1 more where bodies may be
/// too close together for single precision; a source takes 16 bytes per leaf, 1/2 byte per pair for leaves of
/// 32 bodies, most of it from the second cache: issue slots are the limit. M2L: with order p, 4 p^3 / 3
/// multiply-adds for four exchanges of axes, 2 p^3 / 3 along the axis, 16 p^2 for the rotations and 6 p^2
/// accesses to shared memory, with a source in each lane: 6100 issue slots per 32 sources for p = 10, as many
/// as 13000 pairs take, and 11000 for p = 13; 8 + 4 (p + 1) (p + 2) bytes per source, 1/8 byte per operation.
/// The softening series takes 1150 multiply-adds and twice as many accesses to shared memory per source.
namespace isolume::gpu::fmm_kernels {

/// Single precision suffices for the orders that it is used with: see multipoles::SumSetup.
inline constexpr int highest_order = 13;

/// Number of terms of an expansion: first their real parts, then their imaginary ones.
constexpr std::uint32_t terms_of(int order) {
  return static_cast<std::uint32_t>((order + 1) * (order + 2) / 2);
}
inline constexpr std::uint32_t most_terms = terms_of(highest_order);

/// Lengths of cells are at least this, in units of the frame, so that single precision holds their powers.
inline constexpr double least_unit = 1e-12;

/// Lengths and charges in units of the frame.
struct alignas(16) Cell {
  double x, y, z;  ///< centre
  double charge;
  float unit;                ///< the radius, or least_unit
  std::uint32_t begin, end;  ///< bodies
  std::uint32_t parent, level;
  std::uint32_t one_position;  ///< whether all bodies are at one position: they act as one body
};

struct Tables {
  static constexpr int exchanges = 924, fars = 1015, recursions = 182;

  float exchange[exchanges];    ///< Harmonics::exchange up to the highest order
  float far[fars];              ///< matrices of M2L along z: for each m, rows (k) of each column n
  float norms[most_terms];      ///< Harmonics::norms
  float recursion[recursions];  ///< Harmonics::recursion of the highest order
};

inline constexpr std::uint32_t softening_terms = 84;
struct SofteningTables {
  std::uint8_t axis[softening_terms], lower[softening_terms], second_lower[softening_terms];
  std::uint8_t power[softening_terms];  ///< of the axis
  std::uint8_t partners[softening_terms];
  std::uint8_t sum[softening_terms][softening_terms];
};

struct List {
  const std::uint64_t* starts;  ///< for each cell, and the end
  const std::uint32_t* cells;
};
/// See multipoles::InteractionLists.
inline constexpr std::uint32_t alone = std::uint32_t{1} << 31;

/// The data of all bodies, on a device. Cells are followed by their descendants.
struct Tree {
  const Cell* cells;
  List far, softened, near;
  const float* moments;            ///< 2 x terms numbers for each cell
  const float* softening_moments;  ///< softening_terms numbers for each cell
  const nbody_kernels::WalkBody* bodies;
  const float4* relative;  ///< bodies, relative to the centres of their leaves
  const Tables* tables;
  const SofteningTables* softening_tables;  ///< null if no softening series acts
  int order;
  std::uint32_t terms;  ///< terms_of(order)
  double softening;
  float softening_squared;
  double close;  ///< multipoles::NearField::close
};

/// A run of bodies, and the cells that contain some of them: those that begin in it, and their ancestors that
/// begin before it, one on each level from the root. Their local expansions are in this order: ancestors first.
struct Slab {
  std::uint32_t first, count;              ///< bodies
  std::uint32_t first_cell, cells;         ///< those that begin in it
  std::uint32_t ancestors, last_ancestor;  ///< number of ancestors, and the smallest one

  std::uint32_t all_cells() const { return ancestors + cells; }
};

/// Local expansions of a slab's cells: `stride` numbers for each, with those of the softening series last.
struct Fields {
  float* values;
  std::uint32_t stride;
};

/// Copies the tables from the device's memory to its constant memory: see constant_memory.h.
void copy_to_constant_memory(const Tables* tables, const Stream& stream);

/// All queue kernels. The first writes the harmonic expansions, the second those of the softening series;
/// needs the tables in constant memory.
void add_far_cells(const Tree& tree, const Slab& slab, const Fields& fields, const Stream& stream);
void add_softened_cells(const Tree& tree, const Slab& slab, const Fields& fields, const Stream& stream);
/// Adds the expansions of their parents to those of `count` cells of one level; needs the tables in constant
/// memory.
void add_parents(const Tree& tree, const Slab& slab, const std::uint32_t* cells, std::uint32_t count,
                 const Fields& fields, const Stream& stream);
void add_softened_parents(const Tree& tree, const Slab& slab, const std::uint32_t* cells, std::uint32_t count,
                          const Fields& fields, const Stream& stream);
/// Field k (x, y, z, potential) of body `slab.first + i` goes to out[k * field_stride + i]; `leaves`: those of
/// the slab's bodies.
void sum_leaves(const Tree& tree, const Slab& slab, const std::uint32_t* leaves, std::uint32_t count,
                const Fields& fields, float* out, std::size_t field_stride, const Stream& stream);

}  // namespace isolume::gpu::fmm_kernels
