#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace isolume::filters {

// Rows of voxels along x, `count` long unless something else is written. Results must not overlap with what is read, except
// where a function changes rows in place.

/// result[i] = sum over k of weights[k] rows[k][i].
void weighted_sum(std::span<const float* const> rows, std::span<const float> weights, int count,
                  float* result);

/// result[i] = sqrt(sum over pairs k of (factors[k] (high[k][i] - low[k][i]))^2).
void difference_length(const std::array<const float*, 3>& low, const std::array<const float*, 3>& high,
                       const std::array<float, 3>& factors, int count, float* result);

/// How conductance falls with s = (difference / k)^2.
enum class Conductance {
  exponential,  ///< exp(-s)
  rational      ///< 1 / (1 + s)
};
/// result[i] = factor c d, where d = to[i] - from[i] and c is the conductance of s = (d scale)^2.
void flux(Conductance conductance, const float* from, const float* to, float scale, float factor, int count,
          float* result);
/// result[i] = image[i] + x[i + 1] - x[i] + y_high[i] - y_low[i] + z_high[i] - z_low[i].
void add_divergence(const float* image, const float* x, const std::array<const float*, 2>& y,
                    const std::array<const float*, 2>& z, int count, float* result);

/// A voxel of the neighbourhood of another one.
struct Neighbour {
  std::ptrdiff_t offset = 0;  ///< from voxel to voxel in memory
  float exponent = 0;         ///< its weight is 2^-exponent, times that of the values
};
/// result[i] = sum of w v / sum of w over the neighbours' values v, w = 2^-(exponent + scale (v - image[i])^2), and the voxel
/// itself with w = 1.
void bilateral_row(const float* image, std::span<const Neighbour> neighbours, float scale, int count,
                   float* result);

/// A row of a field of vectors, its components in rows of their own.
template <class Number>
using VectorRow = std::array<Number*, 3>;

/// One step of the dual variable p in place: p <- (p + gradient) / max(1, |p + gradient|), where the gradient has the
/// components steps[k] (next[k][i] - image[i]). Next rows: image + 1 for x, whose last difference is 0; `image` itself at a
/// border.
void dual_step(const float* image, const float* next_y, const float* next_z,
               const std::array<float, 3>& steps, int count, const VectorRow<float>& p);
/// div p by backward differences: sum over k of inverse_spacing[k] (p[k][i] - before[k][i]); null before: 0 (at a border).
void divergence(const VectorRow<const float>& p, const float* before_y, const float* before_z,
                const std::array<float, 3>& inverse_spacing, int count, float* result);
/// u <- (u + step divergence + step weight noisy) / (1 + step weight), extrapolated = new u + theta (new u - u).
void primal_step(const float* divergence, const float* noisy, float step, float weight, float theta,
                 int count, float* u, float* extrapolated);

/// Sums of a row, in double precision.
double sum(const float* values, int count);
/// Sum of (a - b)^2.
double squared_distance(const float* a, const float* b, int count);
/// Sum of d (d scale + b).
double dual_sum(const float* d, const float* b, double scale, int count);

}  // namespace isolume::filters
