#pragma once

#include <cstddef>

#include "gpu/orbitals/separable/separable_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/stream_name.h"

/// Local densities on a GPU: what core/orbitals/local_density.h says, block by block of the lattice. A block
/// is four bricks; the functions that reach it are bounded in each brick, the density matrix's part of them is
/// decomposed (a block of threads each), and its columns' squares are added up, the first ones before it is
/// known how many are needed.
namespace isolume::gpu::separable {

inline constexpr int bricks_per_block = 4;
inline constexpr int block_x = brick_x;
inline constexpr int block_y = 2 * brick_y;
inline constexpr int block_z = 2 * brick_z;
/// Columns whose coefficients are in memory at once.
inline constexpr int local_chunk = 32;

/// How many blocks the lattice has along each axis; they are numbered x fastest.
struct Blocks {
  int count[3];
};
struct BlockPlace {
  int x;
  int y;
  int z;
};
/// The block's first point.
__host__ __device__ inline BlockPlace place_of_block(const Blocks& blocks, int block) {
  return {block % blocks.count[0] * block_x, block / blocks.count[0] % blocks.count[1] * block_y,
          block / blocks.count[0] / blocks.count[1] * block_z};
}

/// Columns first .. last-1 of some blocks, or less: of each brick, those below `needed`.
struct LocalColumns {
  Blocks blocks;
  int first_block;
  const int* needed;          ///< bricks_per_block a block, from the first block on
  const float* coefficients;  ///< blocks x local_chunk columns x coefficient rows
  int first;
  int last;
  float sign;    ///< of the squares
  bool begins;   ///< the results hold nothing yet
  float* least;  ///< as `needed`: lowered to the least magnitude of the sums; null: not wanted
};
/// Adds the squares to planes first_z .. first_z+count_z-1, which begin at `out`.
void add_columns(const Tables& tables, bool ahead, const LocalColumns& columns, int block_count, int first_z,
                 int count_z, float* out, const Stream& stream);

/// A row of the polynomials: a monomial times a Gaussian.
struct alignas(16) MonomialRow {
  float x;  ///< the atom, in steps from the lattice's origin
  float y;
  float z;
  float exponent;
  float radius_squared;  ///< of its group, bohr^2; negative: it matters nowhere
  int power[3];
};

/// An element of the sparse matrix polynomials (rows x functions).
struct Element {
  int other;  ///< its row, or its function
  float value;
};

/// The same on every device; addresses of its memory.
struct LocalTables {
  const MonomialRow* rows;
  const int* function_begin;  ///< of each function, its first in `by_function`; one more at the end
  const Element* by_function;
  const int* row_begin;
  const Element* by_row;
  int functions;
  int row_count;
  Blocks blocks;
  int count[3];
  float step[3];
};

/// What is known of one block between the kernels.
struct LocalState {
  int functions;  ///< that reach it
  int columns;    ///< that are made
  int pivot;
  int unused;
  double least_pivot;
  double remainder;
};

/// Working memory of some blocks, each with as much as any needs.
struct LocalScratch {
  LocalState* states;
  float* bounds;      ///< blocks x bricks x functions of the molecule
  int* position;      ///< blocks x functions of the molecule: where it stands in the list; -1: nowhere
  int* list;          ///< blocks x `most_functions`
  double* weight;     ///< the same: each listed function's largest bound
  double* diagonal;   ///< the same
  double* columns;    ///< blocks x `most_columns` x `most_functions`, times the bounds
  double* amplitude;  ///< blocks x bricks x `most_columns`: what a column may add to an amplitude
  int* needed;        ///< blocks x bricks
  float* least;       ///< blocks x bricks
  float* coefficients;
  int most_functions;
  int most_columns;
};

/// Bounds of all functions in the bricks of some blocks, and the list of those that reach a block; clears
/// `least`.
void bound_functions(const LocalTables& tables, const LocalScratch& scratch, int first_block, int block_count,
                     const Stream& stream);
/// Starts the decomposition of a density matrix (functions x functions), and makes the first `count` columns:
/// each brick needs them all.
void first_columns(const LocalTables& tables, const LocalScratch& scratch, const double* density, int count,
                   int block_count, const Stream& stream);
/// Makes columns until less than a quarter of what may be left out is left, and finds how many each brick
/// needs. `share`: of what may be left out, one over the number of matrices.
void further_columns(const LocalTables& tables, const LocalScratch& scratch, const double* density, int first,
                     double screening, double share, int block_count, const Stream& stream);
/// The coefficients of columns first .. first+local_chunk-1 in the polynomials' rows, of blocks that need
/// some of them.
void expand_columns(const LocalTables& tables, const LocalScratch& scratch, int first, int block_count,
                    const Stream& stream);

}  // namespace isolume::gpu::separable
