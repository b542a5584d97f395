#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace isolume::tomography {

/// Columns of numbers begin at multiples of `column_padding`, and the rest after their last number is memory that kernels may
/// write.
inline constexpr int column_padding = 16;
inline constexpr int padded_column(int count) {
  return (count + column_padding) / column_padding * column_padding;
}

/// A line between two columns: weights[0] * near[0] + weights[1] * near[1], 0 from one step outside the columns on and
/// linear between numbers. It is sampled at first + step * k.
template <class Number>
struct ColumnStep {
  std::array<Number*, 2> near{};
  std::array<float, 2> weights{};
  float first = 0, step = 1;
};

/// sums[k] += line(first + step * k) for each of the steps and 0 <= k < `count`; columns have `length` numbers. `sums`
/// is one column, or with `sums_stride` > 0 one for each step.
void sample_columns(std::span<const ColumnStep<const float>> steps, int length, float* sums,
                    std::size_t sums_stride, int count);

/// The adjoint: near[i][j] += weights[i] * sum over k of values[k] * hat(first + step * k - j), for each of the steps,
/// where hat(x) = max(0, 1 - |x|). `values` is one column of `count` numbers.
void spread_column(std::span<const ColumnStep<float>> steps, int length, const float* values, int count);

/// Points of a row on a detector: homogeneous coordinates of the first point, and their change from a point to the
/// next.
struct DetectorRow {
  std::array<float, 3> first{}, step{};  ///< u * w, v * w, w
  float scale = 1;
};
/// sums[i] += (scale / w)^2 * view(u, v), bilinear and 0 from one pixel outside on, for 0 <= i < `count` <= 256.
/// `view` has `columns` columns of `rows` numbers, one each `stride`; a number follows its last row. Memory of `sums`
/// up to a multiple of `column_padding` is written.
void sample_detector(const float* view, int columns, int rows, std::size_t stride, const DetectorRow& row,
                     float* sums, int count);

}  // namespace isolume::tomography
