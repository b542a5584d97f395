#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/molecules/molecule.h"

namespace isolume::molecules {

/// For angular momenta from 0 on.
inline constexpr std::string_view shell_letters = "spdfgh";

inline constexpr int max_angular_momentum = 5;  ///< h

/// A contracted shell on one atom: `sum_p coefficient[p] * N(exponent[p]) * exp(-exponent[p] r^2)` times its
/// angular functions. The coefficients belong to normalised primitives and include the contraction's own
/// normalisation, so that every function of a normalised shell has unit norm.
struct Shell {
  int atom = 0;
  int angular_momentum = 0;          ///< 0 = s ... 5 = h
  bool spherical = false;            ///< 2l+1 real solid harmonics, or (l+1)(l+2)/2 Cartesian products
  std::vector<double> exponents;     ///< bohr^-2
  std::vector<double> coefficients;  ///< as many as exponents

  int function_count() const {
    return spherical ? 2 * angular_momentum + 1 : (angular_momentum + 1) * (angular_momentum + 2) / 2;
  }
};

/// Shells in the order of their functions. Within a shell the functions are in Isolume's own order, whatever the
/// order in the file:
/// - Cartesian: x^i y^j z^k by decreasing i, then decreasing j: d is xx, xy, xz, yy, yz, zz.
/// - spherical: m = 0, +1, -1, +2, -2 ... (cosine-like, then sine-like; no Condon-Shortley phase). p: z, x, y. Each
/// function is normalised to one individually (xy as well as xx).
struct BasisSet {
  std::vector<Shell> shells;

  std::size_t function_count() const;
  int max_angular_momentum() const;
  std::size_t primitive_count() const;
};

/// Powers (i, j, k) of the Cartesian functions of angular momentum l in Isolume's order.
struct CartesianPowers {
  int x, y, z;
};
const std::vector<CartesianPowers>& cartesian_powers(int angular_momentum);

/// (2n-1)!!, with (-1)!! = 1.
double odd_double_factorial(int n);

/// Norm of x^i y^j z^k exp(-a r^2): N = (2a/pi)^(3/4) (4a)^(l/2) / sqrt((2i-1)!!(2j-1)!!(2k-1)!!).
double primitive_norm(double exponent, CartesianPowers powers);

/// The spherical functions of one shell as combinations of *unnormalised monomials* times the radial part
/// with norm N_l(a) = (2a/pi)^(3/4) (4a)^(l/2) / sqrt((2l-1)!!), i.e. the norm of x^l. Shape (2l+1) x
/// (l+1)(l+2)/2, rows and columns in Isolume's orders. Real solid harmonics after Helgaker,
/// Jorgensen and Olsen, Molecular Electronic-Structure Theory (2000), section 6.4.2.
const Eigen::MatrixXd& spherical_to_monomials(int angular_momentum);

/// The same for Cartesian shells: diagonal, the factor from N_l(a) to each function's own norm.
const Eigen::MatrixXd& cartesian_to_monomials(int angular_momentum);

/// Either of the two, for a shell.
const Eigen::MatrixXd& functions_to_monomials(const Shell& shell);

}  // namespace isolume::molecules
