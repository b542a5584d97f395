#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/orbitals/separable_kernels.h"
#include "core/orbitals/separable_terms.h"

/// The inner loops of ProductField, compiled for each instruction set of Highway and selected at run time.
namespace isolume::orbitals::products {

/// A pencil is block_y x block_z lattice rows along x, in tiles of tile_x points. It is thicker than that of amplitudes
/// (separable_kernels.h), since each product's Gaussians are computed anew in each pencil. Its rows are ordered by
/// layers of layer_y rows y, then z, then y.
using separable::tile_x;
inline constexpr int layer_y = 8;
inline constexpr int layers = 4;
inline constexpr int block_y = layers * layer_y;
inline constexpr int block_z = 16;
inline constexpr int layer_points = layer_y * block_z;
inline constexpr int plane_points = layers * layer_points;

/// result(f, g) = sum_k a(f, k) b(g, k), both with rows of `columns` numbers, a multiple of 8.
void inner_products(std::span<const double> a, std::span<const double> b, std::size_t columns,
                    std::span<double> result);

/// A product (GaussianProduct) on one lattice.
struct Product {
  std::array<std::int32_t, 3>
      nearest{};  ///< the point nearest to its centre, which may lie beyond the lattice,
  std::array<float, 3>
      offset{};  ///< and that point's position from the centre: differences of floats are exact
  float exponent = 0;
  float radius = 0;  ///< it is omitted farther away
  std::int32_t degree = 0;
  std::uint32_t first = 0;  ///< of its coefficients
};

/// Working memory of one thread.
struct Scratch {
  struct Entry {  ///< a product in a tile
    const float* x = nullptr;
    const float* planes = nullptr;
    std::size_t x_stride = 0;
    int terms = 0;
  };
  std::vector<std::vector<Entry>> entries;  ///< of each part of each tile
  AlignedFloats tables, planes;             ///< of some products
  AlignedFloats sums;                       ///< tiles x plane_points x tile_x
  AlignedFloats weights, along_z, along_y, columns;
  double operations = 0;       ///< done so far: two per multiply-add
  AlignedFloats interpolated;  ///< layers x (tiles x tile_x) x layer_points
};

/// Sums products in a pencil: poly(x, y, z) exp(-a r^2) = sum_i A_i(x) B_i(y, z), with
/// A_i = x^i exp(-a x^2).
struct PencilJob {
  std::span<const Product> products;
  const float* coefficients = nullptr;
  std::span<const std::uint32_t> chosen;  ///< of the products
  std::array<float, 3> steps{};
  int first_y = 0;
  int first_z = 0;
  int tiles = 0;
};
/// Adds to the sums of the scratch memory.
void add_products(const PencilJob& job, Scratch& scratch);

/// One axis of a lattice whose points are interpolated from those of a coarser one, `over` / `under` times as far apart.
struct Stencil {
  int over = 1;
  int under = 1;
  int taps = 0;
  std::vector<float> weights;  ///< `taps` for each of `over` phases

  /// Point i is sum_t weights_of(i)[t] c[first_tap(i) + t].
  int first_tap(int point) const { return point * under / over; }
  const float* weights_of(int point) const { return weights.data() + point * under % over * taps; }
};
/// Interpolates a pencil from a coarse lattice whose point 0 is tap 0 of the fine one's point 0.
struct InterpolationJob {
  const std::array<Stencil, 3>* stencils = nullptr;
  const float* values = nullptr;
  std::size_t y_stride = 0;  ///< a multiple of tile_x
  std::size_t z_stride = 0;
  int first_y = 0;
  int first_z = 0;
  int tiles = 0;  ///< of the fine lattice
};
/// Adds to `scratch.interpolated`.
void interpolate(const InterpolationJob& job, Scratch& scratch);

}  // namespace isolume::orbitals::products
