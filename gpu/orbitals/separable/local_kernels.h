#pragma once

#include <cstddef>

#include "gpu/orbitals/separable/separable_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/streams/stream_name.h"

/// Local densities on a GPU by core/orbitals/local_density.h, block by block of the grid. A block is four
/// bricks. The functions in its range are bounded in each brick, their part of the density matrix is
/// decomposed (one block of threads each), and the squares of its columns are added up, the first ones before
/// the required number is known.
namespace isolume::gpu::separable {

inline constexpr int bricks_per_block = 4;
inline constexpr int block_x = brick_x;
inline constexpr int block_y = 2 * brick_y;
inline constexpr int block_z = 2 * brick_z;
/// Number of columns whose coefficients are in memory at once.
inline constexpr int local_chunk = 32;

/// Numbers of the grid's blocks along each axis; blocks are numbered x fastest.
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

/// Columns first .. last-1 of some blocks, or fewer: of each brick, those below `needed`.
struct LocalColumns {
  Blocks blocks;
  int first_block;
  const int* needed;          ///< bricks_per_block per block, from the first block on
  const float* coefficients;  ///< blocks x local_chunk columns x coefficient rows
  int first;
  int last;
  float sign;    ///< of the squares
  bool begins;   ///< the results hold no values yet
  float* least;  ///< in the order of `needed`: lowered to the least magnitude of the sums; null: not needed
};
/// Adds the squares to planes first_z .. first_z+count_z-1, which begin at `out`.
void add_columns(const Tables& tables, bool ahead, const LocalColumns& columns, int block_count, int first_z,
                 int count_z, float* out, const Stream& stream);

/// A row of the polynomials: a monomial times a Gaussian.
struct alignas(16) MonomialRow {
  float x;  ///< position of the atom, in steps from the grid's origin
  float y;
  float z;
  float exponent;
  float radius_squared;  ///< of its group, bohr^2; negative: negligible everywhere
  int power[3];
};

/// An element of the sparse matrix polynomials (rows x functions).
struct Element {
  int other;  ///< its row, or its function
  float value;
};

/// The same data on every device; addresses of its memory.
struct LocalTables {
  const MonomialRow* rows;
  const int* function_begin;  ///< first entry of each function in `by_function`; one more at the end
  const Element* by_function;
  const int* row_begin;
  const Element* by_row;
  int functions;
  int row_count;
  Blocks blocks;
  int count[3];
  float step[3];
};

/// State of one block between the kernels.
struct LocalState {
  int functions;  ///< number of functions in its range
  int columns;    ///< number of computed columns
  int pivot;
  int unused;
  double least_pivot;
  double remainder;
};

/// Scratch memory of some blocks, each with as much as any needs.
struct LocalScratch {
  LocalState* states;
  float* bounds;      ///< blocks x bricks x functions of the molecule
  int* position;      ///< blocks x functions of the molecule: position in the list; -1: none
  int* list;          ///< blocks x `most_functions`
  double* weight;     ///< the same: each listed function's largest bound
  double* diagonal;   ///< the same
  double* columns;    ///< blocks x `most_columns` x `most_functions`, times the bounds
  double* amplitude;  ///< blocks x bricks x `most_columns`: largest contribution of a column to an amplitude
  int* needed;        ///< blocks x bricks
  float* least;       ///< blocks x bricks
  float* coefficients;
  int most_functions;
  int most_columns;
};

/// Computes bounds of all functions in the bricks of some blocks, and lists the functions in range of a
/// block; clears `least`.
void bound_functions(const LocalTables& tables, const LocalScratch& scratch, int first_block, int block_count,
                     const Stream& stream);
/// Starts the decomposition of a density matrix (functions x functions), and computes the first `count`
/// columns, which each brick needs.
void first_columns(const LocalTables& tables, const LocalScratch& scratch, const double* density, int count,
                   int block_count, const Stream& stream);
/// Computes columns until the remainder is less than a quarter of the tolerance, and determines how many each
/// brick needs. `share`: fraction of the tolerance, one over the number of matrices.
void further_columns(const LocalTables& tables, const LocalScratch& scratch, const double* density, int first,
                     double screening, double share, int block_count, const Stream& stream);
/// The coefficients of columns first .. first+local_chunk-1 in the polynomials' rows, for blocks that need
/// some of them.
void expand_columns(const LocalTables& tables, const LocalScratch& scratch, int first, int block_count,
                    const Stream& stream);

}  // namespace isolume::gpu::separable
