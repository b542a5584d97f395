#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"

namespace isolume::orbitals {

/// Columns l_1, l_2, ... with D = l_1 l_1^T + l_2 l_2^T + ... + R for the part of a positive semidefinite
/// matrix D that belongs to some functions, none of which is larger than its bound in magnitude: pivoted
/// Cholesky decomposition of m D m, m being the bounds, one column at a time, in the order of their weight.
/// The quadratic form of functions chi(r) with the remainder R is never negative, and never more than (sum_i
/// m_i sqrt(R_ii))^2. (H. Harbrecht, M. Peters and R. Schneider, Appl. Numer. Math. 62 (2012) 428, for the
/// decomposition; the bound is Cauchy's inequality.)
class PivotedCholesky {
 public:
  /// `density`: functions x functions. `functions`: rows of it; `bounds`: one for each of them.
  void start(const Eigen::MatrixXd& density, std::span<const int> functions, std::span<const double> bounds);
  /// Adds one more column. Returns false, without a column, where D is exhausted up to rounding.
  bool extend();

  int column_count() const { return count_; }
  /// Element `i` (of `functions`) of column `column`, times its bound.
  double weighted(int column, std::size_t i) const { return columns_[column * stride_ + i]; }
  /// (sum_i m_i sqrt(R_ii))^2
  double remainder() const { return remainder_; }

 private:
  void find_pivot();

  const Eigen::MatrixXd* density_ = nullptr;
  std::span<const int> functions_;
  std::span<const double> bounds_;
  std::size_t stride_ = 0;
  int count_ = 0;
  std::size_t pivot_ = 0;
  double least_pivot_ = 0;
  double remainder_ = 0;
  std::vector<double> columns_;
  std::vector<double> diagonal_;  ///< of m R m
  std::vector<double> factors_;
  std::vector<double> next_;
};

}  // namespace isolume::orbitals
