#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/field_values.h"

/// The inner loops of the separable engine, compiled for each instruction set of Highway and selected at run time.
namespace isolume::orbitals::separable {

/// A *pencil* is block_y x block_z grid rows along x; it is processed in tiles of tile_x points.
inline constexpr int tile_x = 16;
inline constexpr int block_y = 8;
inline constexpr int block_z = 8;
inline constexpr int plane_points = block_y * block_z;

/// Rows p = 0 .. degree of (x - centre)^p exp(-exponent (x - centre)^2) for the points first .. last-1 of an
/// axis.
struct AxisTableJob {
  double origin = 0;  ///< coordinate of point 0
  double step = 0;
  double centre = 0;
  double exponent = 0;
  int degree = 0;
  int first = 0;          ///< multiple of 8
  int last = 0;           ///< multiple of 8
  float* rows = nullptr;  ///< address that point 0 of row 0 would have
  std::size_t stride = 0;
};
void fill_axis_table(const AxisTableJob& job);

/// y^j z^k ey ez over the points of a plane (y fastest), by increasing j + k, then k.
struct PlaneMonomialsJob {
  const float* y_rows = nullptr;  ///< table of y at the block's first point
  const float* z_rows = nullptr;
  std::size_t y_stride = 0;
  std::size_t z_stride = 0;
  int degree = 0;
  std::uint32_t first = 0;  ///< position of the first of its plane_polynomial_size(degree) monomials
};
/// Computes the monomials of all jobs, `count` in total, plane_points values each, into `monomials`. They are stored
/// group by group, a group being neighbouring points of the plane that are processed together: first all monomials of
/// the first group, then those of the second.
void fill_plane_monomials(std::span<const PlaneMonomialsJob> jobs, std::size_t count, float* monomials);

/// One power of x of one primitive group: B(y, z) = sum_m coefficient[m] monomial_m(y, z).
struct PlaneTerm {
  std::uint32_t first_monomial = 0;
  std::uint32_t first_coefficient = 0;
  std::uint32_t count = 0;
  std::int32_t group = 0;
};

/// A term that extends into a tile: offset of its row's point 0 in the x table (may be negative, as rows are stored
/// only within their range), and its position among the terms.
struct TileEntry {
  std::int32_t x_row = 0;
  std::int32_t term = 0;
};

/// A field to compute, or one that adds to a density.
struct Column {
  const float* coefficients = nullptr;
  float* values = nullptr;  ///< the grid's value at the pencil's first point
  float weight = 1;         ///< of the square
};

/// The amplitude of each column, or the sum of all columns' squares, which replaces the values or is added to them.
enum class Store { amplitude, squares, add_squares };

/// psi(x, y, z) = sum_entries A(x) B(y, z) for all tiles of a pencil and all columns: small matrix products. Columns
/// are the inner loop: the monomials and the x table that they share stay in the first-level cache.
struct PencilJob {
  std::span<const PlaneTerm> terms;
  const float* monomials = nullptr;
  std::size_t monomial_count = 0;
  std::span<const std::span<const TileEntry>> tiles;
  const float* x_table = nullptr;
  float* planes = nullptr;   ///< room for terms.size() x plane_points
  float* squares = nullptr;  ///< room for tiles.size() x tile_x x plane_points, where squares are stored
  std::span<const Column> columns;
  std::size_t y_stride = 0;
  std::size_t z_stride = 0;
  int count_x = 0;
  int count_y = 0;  ///< rows that exist, at most block_y
  int count_z = 0;
  Store store = Store::amplitude;
};
void compute_pencil(const PencilJob& job);

/// Tails of Gaussians run through the denormal range, which costs some processors a hundred cycles per operation
/// (three quarters of all time, measured on x86). During the lifetime of this object, its thread treats them as zero.
class DenormalsAsZero {
 public:
  DenormalsAsZero();
  ~DenormalsAsZero();
  DenormalsAsZero(const DenormalsAsZero&) = delete;
  DenormalsAsZero& operator=(const DenormalsAsZero&) = delete;

 private:
  unsigned before_ = 0;
};

/// "AVX3" -> "AVX-512" and so on: the instruction set in use on this machine.
std::string_view instruction_set();

}  // namespace isolume::orbitals::separable
