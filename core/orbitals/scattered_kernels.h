#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// The inner loops of the engine for points that do not form an axis-aligned grid; compiled for each instruction
/// set.
namespace isolume::orbitals::scattered {

/// Points are processed in batches of this many neighbours.
inline constexpr int batch_points = 64;

/// Positions of a batch relative to an atom; subtracted in double, as required for tight functions far from the
/// origin.
void relative_places(const double* places, double centre, float* relative);

struct Powers {
  std::int8_t x, y, z;
};

/// Rows x^i y^j z^k sum_p c_p exp(-a_p r^2) of one shell, one row per monomial, batch_points values each.
struct ShellRowsJob {
  const float* x = nullptr;  ///< relative positions
  const float* y = nullptr;
  const float* z = nullptr;
  std::span<const float> exponents;
  std::span<const float> coefficients;
  std::span<const Powers> powers;
  float* rows = nullptr;
};
void fill_shell_rows(const ShellRowsJob& job);

/// psi_k(point) = sum_r coefficients[index[r] * columns + k] rows[r][point] for one batch.
struct ProductJob {
  std::span<const std::int32_t> indices;  ///< of the rows in the coefficient matrix
  const float* rows = nullptr;
  const float* coefficients = nullptr;  ///< row by row
  int columns = 0;
};
/// `values`: columns x batch_points.
void multiply_rows(const ProductJob& job, float* values);
/// `values`: batch_points sums of weights[k] psi_k^2.
void sum_squares(const ProductJob& job, const float* weights, float* values);

}  // namespace isolume::orbitals::scattered
