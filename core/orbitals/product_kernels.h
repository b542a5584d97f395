#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/orbitals/separable_terms.h"

/// The inner loops of ProductField over points, compiled for each instruction set of Highway and selected at run time.
namespace isolume::orbitals::products {

/// A pencil is block_y x block_z grid rows along x. Its values are ordered by patches of neighbouring rows: z of the
/// patch, y of the patch, x, then z and y within the patch.
inline constexpr int patch_edge = 4;
inline constexpr int patch_points =
    patch_edge * patch_edge;  ///< a vector of AVX-512, or several shorter ones
inline constexpr int block_y = 32;
inline constexpr int block_z = 16;
inline constexpr int patches_y = block_y / patch_edge;
inline constexpr int patches_z = block_z / patch_edge;
inline constexpr int block_points = block_y * block_z;
/// Points along x are added several at a time.
inline constexpr int unrolled = 4;
constexpr std::size_t row_length(int points_x) {
  return static_cast<std::size_t>(points_x + unrolled - 1);
}

/// A product (GaussianProducts) on one grid.
struct Product {
  /// The point nearest to its centre, which may lie beyond the grid,
  std::array<std::int32_t, 3> nearest{};
  std::array<float, 3>
      offset{};  ///< and that point's position from the centre: differences of floats are exact
  float exponent = 0;
  float radius = 0;  ///< it is omitted farther away
  std::int32_t degree = 0;
  std::uint32_t first = 0;  ///< of its coefficients
};

/// Working memory of one thread.
struct Scratch {
  AlignedFloats sums;  ///< of a pencil
  AlignedFloats weights, along_z, along_y, columns, unused_row;
  double operations = 0;  ///< done so far: two per multiply-add
};

/// Sums products in a pencil: poly(x, y, z) exp(-a r^2) = sum_i A_i(x) B_i(y, z), with
/// A_i = x^i exp(-a x^2).
struct PencilJob {
  std::span<const Product> products;
  const float* coefficients = nullptr;
  std::span<const std::uint32_t> chosen;  ///< of the products
  std::array<float, 3> steps{};
  int points_x = 0;
  int first_y = 0;
  int first_z = 0;
};
/// Adds to the sums of the scratch memory.
void add_products(const PencilJob& job, Scratch& scratch);

/// One axis of a grid whose points are interpolated from those of a coarser one, `over` / `under` times as far
/// apart.
struct Stencil {
  int over = 1;
  int under = 1;
  int taps = 0;
  std::vector<float> weights;  ///< `taps` for each of `over` phases

  /// Point i is sum_t weights_of(i)[t] c[first_tap(i) + t].
  int first_tap(int point) const { return point * under / over; }
  const float* weights_of(int point) const { return weights.data() + point * under % over * taps; }
};
/// The rows of a coarse grid, by z, then y, are multiples of this.
inline constexpr int row_multiple = 16;
/// Interpolates a pencil from a coarse grid whose point 0 is tap 0 of the fine one's point 0.
struct InterpolationJob {
  const std::array<Stencil, 3>* stencils = nullptr;
  const float* values = nullptr;
  std::size_t y_stride = 0;
  std::size_t z_stride = 0;
  int points_x = 0;  ///< of the fine grid
  int first_y = 0;
  int first_z = 0;
};
/// Adds to the sums of the scratch memory.
void interpolate(const InterpolationJob& job, Scratch& scratch);

/// The rows of a patch, by z, then y.
using PatchRows = std::array<float*, patch_points>;
/// Copies the first `count` points of each row of a patch, those below `least` as that.
void to_rows(const float* patch, int count, float least, const PatchRows& to);

}  // namespace isolume::orbitals::products
