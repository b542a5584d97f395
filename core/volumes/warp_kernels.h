#pragma once

#include <array>
#include <cstddef>

#include "core/volumes/counts.h"

namespace isolume::volumes {

/// A part of a row of points: at most `most_of_a_row`, for buffers on the stack.
inline constexpr int most_of_a_row = 256;

/// Places in a volume, as its indices.
struct Positions {
  std::array<const float*, 3> axes;
  int count = 0;  ///< at most most_of_a_row
};

/// Trilinear values at places; outside, the nearest value inside. A volume has at least two points along x.
void sample_row(const float* volume, const Counts& counts, const Positions& at, float* values);
/// The same, and the derivatives of the value by the index along each axis; 0 along an axis on which a place lies outside.
void sample_row_gradient(const float* volume, const Counts& counts, const Positions& at, float* values,
                         const std::array<float*, 3>& gradient);
/// The values of three volumes.
void sample_rows(const std::array<const float*, 3>& volumes, const Counts& counts, const Positions& at,
                 const std::array<float*, 3>& values);

/// Rows y from `first` to before `last` of plane z of result(x) = s v(x) + u(x + s v(x)), with a factor s for each axis, for
/// steps of at most one voxel along each of them: a place has neighbours that are known, so that no value is looked up by
/// its index.
void compose_step_rows(const VectorField& u, const VectorField& v, const std::array<float, 3>& scale,
                       int first, int last, int z, VectorField& result);

/// Row (y, z) of -(warped - fixed) times the gradient of `warped` by central differences of these spacings (0: no
/// component). Returns the sum of (warped - fixed)^2.
double force_row(const float* warped, const float* fixed, const std::array<double, 3>& spacing, int y, int z,
                 VectorField& force);

/// Row (y, z) of the gradient of `values`, by the same differences, times the weights.
void weighted_gradient_row(const float* values, const float* weights, const std::array<double, 3>& spacing,
                           int y, int z, VectorField& result);

/// Row (y, z) of the determinant of the gradient of x + u(x): central differences inside, one-sided ones at the border.
/// `determinants` may be null. Returns the least of the row.
float jacobian_row(const VectorField& u, int y, int z, float* determinants);

/// The largest square of (v[0] factor[0], v[1] factor[1], v[2] factor[2]) of `count` points.
float largest_square(const std::array<const float*, 3>& v, const std::array<float, 3>& factor,
                     std::size_t count);

}  // namespace isolume::volumes
