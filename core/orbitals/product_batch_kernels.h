#pragma once

#include <span>

#include "core/orbitals/gaussian_products.h"

/// Arithmetic of GaussianProducts, for all lanes of a batch at once; compiled for each instruction set of Highway and
/// selected at run time.
namespace isolume::orbitals::products {

/// result(f, g) = sum_k a(k, f) b(k, g) for `columns` k. The numbers of functions, which are the lengths of the rows,
/// are multiples of 8.
void multiply_transposed(const double* a, std::size_t functions_of_a, const double* b,
                         std::size_t functions_of_b, std::size_t columns, double* result);

/// Pairs of primitive groups, one in each lane.
struct PairBatch {
  int degree_a = 0, degree_b = 0;
  int count = 0;
  Lanes a, b;  ///< exponents
  std::array<Lanes, 3> place_a, place_b;
  Lanes factor;
  /// Of each pair of rows of their polynomials (polynomial_row()), those of b contiguous.
  std::vector<Lanes> elements;
};
/// Centres, exponents and coefficients of their products.
void multiply_pairs(const PairBatch& pairs, ProductBatch& batch, double* coefficients);

/// Replaces each product by that whose convolution with the normalised Gaussian of exponent q it is. For one axis, this
/// solves
///   x^n exp(-p x^2) = sum_k b_k sqrt(q / pi) int y^k exp(-r y^2) exp(-q (x - y)^2) dy,   r = pq / (q - p).
/// Lanes with 1 / q = 0 stay as they are.
void sharpen(const Lanes& inverse_q, ProductBatch& batch, double* coefficients);

/// Distances beyond which each product is smaller than its tolerance > 0; negative: it is nowhere larger.
void find_radii(const ProductBatch& batch, const double* coefficients, const Lanes& tolerances, Lanes& radii);

}  // namespace isolume::orbitals::products
