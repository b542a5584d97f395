#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

namespace isolume::multipoles {

/// Solid harmonics of degree n = 0..order and order m = 0..n in the normalisation of Racah: with Legendre functions
/// without the phase of Condon and Shortley,
///   X(n, m)(r) = sqrt((n - m)! / (n + m)!) |r|^n P(n, m)(cos theta) exp(i m phi),  X(n, -m) = (-1)^m conj X(n, m).
/// Rotations are unitary in them. Charges q at places y of a cell about its centre have the moments
///   M(n, m) = sum q X(n, m)(y) / unit^n,
/// and a field about a centre is
///   phi(s) = sum over n, m from -n to n of conj X(n, m)(s) / unit^n F(n, m).
/// Both are kept as all real parts, then all imaginary parts, of index(n, m); `unit` is the cell's length.
/// Formulas: Dehnen, Comput. Astrophys. Cosmol. 1, 1 (2014), appendix A, with other factors.
class Harmonics {
 public:
  /// Single precision is for M2L only; errors that need higher orders need double precision too.
  template <class Real>
  static constexpr int highest_order = sizeof(Real) == sizeof(double) ? 24 : 10;

  explicit Harmonics(int order);

  int order() const { return order_; }
  /// Number of coefficients of one kind (real or imaginary).
  std::size_t terms() const { return index(order_ + 1, 0); }
  /// Number of values of one expansion.
  std::size_t size() const { return 2 * terms(); }
  static constexpr std::size_t index(int n, int m) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) / 2 + static_cast<std::size_t>(m);
  }
  /// Position of the term (n, m) in an array in which terms of one m are contiguous.
  std::size_t column(int n, int m) const {
    return columns_[static_cast<std::size_t>(m)] + static_cast<std::size_t>(n);
  }
  /// For each column, column(0, m) and m.
  const std::vector<std::size_t>& columns() const { return columns_; }
  const std::vector<std::size_t>& lines() const { return lines_; }

  /// sqrt((n - m)! (n + m)!), by index.
  const std::vector<double>& norms() const { return norms_; }
  /// The matrices that exchange x and z: for the real parts of degree n, then for the imaginary ones, degree
  /// after degree. Half of the entries are 0 and left out. Rows (new m) of even m come first, then those of
  /// odd m, in `blocks` of rows; for each old m of the other parity, the entries of the rows of the block.
  template <class Real>
  const std::vector<Real>& exchange() const {
    return std::get<std::vector<Real>>(exchange_);
  }
  /// The matrices of M2L along z, from M(n, m) to F(k, m): (-1)^(k + m) (n + k)! / (norm(k, m) norm(n, m));
  /// for each m, in blocks of rows (k = m..order), the entries of the rows of the block for each n.
  template <class Real>
  const std::vector<Real>& far() const {
    return std::get<std::vector<Real>>(far_);
  }
  /// The matrices of M2M and L2L along z: norm(n, m) / (norm(k, m) (n - k)!) for each m, n = m..order, k =
  /// m..n.
  const std::vector<double>& shift() const { return shift_; }
  /// Coefficients of the recursion of U = X / norm, U(n, m) = a z U(n - 1, m) - b r^2 U(n - 2, m): a and b
  /// for each m, n = m + 1..order.
  const std::vector<double>& recursion() const { return recursion_; }

 private:
  int order_;
  std::vector<std::size_t> columns_, lines_;
  std::vector<double> norms_, shift_, recursion_;
  std::tuple<std::vector<double>, std::vector<float>> exchange_, far_;
};

/// Number of rows that are computed together, starting at the first of the remaining `rows`.
constexpr int rows_together(int rows, int most) {
  const int blocks = (rows + most - 1) / most;
  return (rows + blocks - 1) / blocks;
}
inline constexpr int exchange_rows = 8, far_rows = 6;

}  // namespace isolume::multipoles
