#pragma once

#include <cstddef>

#include "gpu/orbitals/reach.h"
#include "gpu/runtime/streams/stream_name.h"

/// The kernels of the separable engine:
///   psi(x, y, z) = sum_t A_t(x) B_t(y, z),   t = (primitive group, power of x),
/// as core/orbitals/separable_grid.h has it; core/orbitals/separable_terms.h says which terms are left out
/// and what that costs. A block of threads computes a *brick* of points: it lists the terms that reach the
/// brick, and for batches of them puts A (rows of the x table) and B (made from y and z tables and the
/// polynomial's coefficients) into shared memory and adds their matrix product to sums in registers. There is
/// no exponential but those of the tables, which are made in double precision by a small kernel before.
///
/// Densities of many orbitals take the columns of local_kernels.h in place of the orbitals.
///
/// Bound: C60 in 6-31G*, one orbital on 172 x 173 x 169 points, screened to 1e-7, is 0.95 GFLOP and 20 MB
/// written: 0.014 ms at 67 TFLOP/s FP32, 0.007 ms at 3 TB/s, of an H100. FP32 multiply-adds are used and no
/// tensor cores: TF32 keeps 11 bits, where 1e-6 of the field is promised; three TF32 products in place of one
/// would keep it, but win little where the bound is within a factor of two of the time to write the field.
namespace isolume::gpu::separable {

inline constexpr int brick_x = 32;
inline constexpr int brick_y = 8;
inline constexpr int brick_z = 8;

/// Rows p = 0 .. degree of (x - centre)^p exp(-exponent (x - centre)^2) for the points first .. first+count-1
/// of an axis; row p begins at value `row + p * count` of the tables.
struct TableJob {
  double origin;  ///< position of point 0
  double step;
  double centre;
  double exponent;
  int degree;
  int first;
  int count;
  int row;
};

/// The positions of a term's values in the tables. Rows are given by the position of the grid's point 0.
struct alignas(16) TermRows {
  int x_row;
  int y_row;  ///< of power 0; higher powers follow at y_stride
  int z_row;
  int y_stride;
  int z_stride;
  int coefficient;  ///< the polynomial in (y, z), in the order of core/orbitals/primitive_groups.h
  int degree;       ///< of that polynomial
  int unused;
};

/// All data of a device; addresses of its memory.
struct Tables {
  const float* values;
  const TermReach* reach;  ///< chunk_count * chunk_terms
  const TermRows* rows;
  const Chunk* chunks;
  const float* coefficients;  ///< columns x coefficient_rows
  const float* weights;       ///< of the squares
  bool quadratic;             ///< one field sum_k w_k psi_k^2 instead of the columns
  int chunk_count;
  int coefficient_rows;
  int columns;
  int count[3];  ///< points of the grid
  float step[3];
};

/// Both queue their kernels. `jobs` and `values` are device memory.
void fill_tables(const TableJob* jobs, int count, float* values, const Stream& stream);
/// Planes first_z .. first_z+count_z-1 in the format of DeviceJob::launch. Bricks begin at multiples of their
/// size, whatever the slab. `ahead`: factors are loaded half a batch before they are multiplied; the same
/// bits.
void sum_bricks(const Tables& tables, bool ahead, int first_z, int count_z, float* out,
                std::size_t field_stride, const Stream& stream);

}  // namespace isolume::gpu::separable
