#pragma once

#include <vector>

#include "core/volumes/line_plan.h"

namespace isolume::volumes {

/// Rows of real numbers along x: complex passes of half the count if it is even, of the whole count if it is odd.
struct RowPlan {
  int count = 1;
  LinePlan line;
  std::vector<float> twiddles;  ///< exp(-2 pi i k / count), pairs; for even counts
};
RowPlan make_row_plan(int count);

/// Lanes of a vector of this machine: the number of rows or columns that are transformed at a time.
int transform_lanes();

/// Modes of a row: real parts, then imaginary parts, `row_length` numbers each, which is a multiple of transform_lanes().
/// Transforms up to transform_lanes() rows, each after the other in `values` and in `modes`.
void forward_rows(const RowPlan& plan, const float* values, int rows, float* modes, int row_length);
/// The inverse, times `scale`.
void inverse_rows(const RowPlan& plan, const float* modes, int row_length, int rows, float scale,
                  float* values);
/// Transforms the columns across rows of modes that follow each other after `step` numbers, in place.
void transform_columns(const LinePlan& plan, bool is_inverse, float* modes, std::size_t step, int row_length);

}  // namespace isolume::volumes
