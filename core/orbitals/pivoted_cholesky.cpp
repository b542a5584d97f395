#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/pivoted_cholesky.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <cmath>
#include <limits>

#include <hwy/highway.h>

#include "core/orbitals/pivoted_cholesky.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// column = scale (column - sum_j factors[j] columns_j), and diagonal -= column^2; rows past the last one, up to a
/// multiple of 32, are zero. Returns the sum of the square roots of the remaining diagonal.
double Eliminate(const double* HWY_RESTRICT columns, std::size_t stride, std::span<const double> factors,
                 double scale, double* HWY_RESTRICT column, double* HWY_RESTRICT diagonal) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scaled = hn::Set(d, scale);
  auto roots = hn::Zero(d);
  for (std::size_t i = 0; i < stride; i += 4 * lanes) {
    auto a0 = hn::LoadU(d, column + i), a1 = hn::LoadU(d, column + i + lanes);
    auto a2 = hn::LoadU(d, column + i + 2 * lanes), a3 = hn::LoadU(d, column + i + 3 * lanes);
    const double* from = columns + i;
    for (const double factor : factors) {
      const auto f = hn::Set(d, factor);
      a0 = hn::NegMulAdd(f, hn::LoadU(d, from), a0);
      a1 = hn::NegMulAdd(f, hn::LoadU(d, from + lanes), a1);
      a2 = hn::NegMulAdd(f, hn::LoadU(d, from + 2 * lanes), a2);
      a3 = hn::NegMulAdd(f, hn::LoadU(d, from + 3 * lanes), a3);
      from += stride;
    }
    const auto finish = [&](auto value, std::size_t at) {
      value = hn::Mul(value, scaled);
      hn::StoreU(value, d, column + at);
      const auto left = hn::Max(hn::NegMulAdd(value, value, hn::LoadU(d, diagonal + at)), hn::Zero(d));
      hn::StoreU(left, d, diagonal + at);
      roots = hn::Add(roots, hn::Sqrt(left));
    };
    finish(a0, i);
    finish(a1, i + lanes);
    finish(a2, i + 2 * lanes);
    finish(a3, i + 3 * lanes);
  }
  return hn::GetLane(hn::SumOfLanes(d, roots));
}

}  // namespace isolume::orbitals::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals {

HWY_EXPORT(Eliminate);

void PivotedCholesky::start(const Eigen::MatrixXd& density, std::span<const int> functions,
                            std::span<const double> bounds) {
  density_ = &density;
  functions_ = functions;
  bounds_ = bounds;
  stride_ = (functions.size() + 31) / 32 * 32;
  count_ = 0;
  columns_.clear();
  diagonal_.assign(stride_, 0);
  next_.assign(stride_, 0);
  double roots = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    diagonal_[i] = bounds[i] * bounds[i] * std::max(density(functions[i], functions[i]), 0.0);
    roots += std::sqrt(diagonal_[i]);
  }
  remainder_ = roots * roots;
  find_pivot();
  // Rounding residue of diagonal elements that are zero.
  least_pivot_ = stride_ > 0 ? 8 * std::numeric_limits<double>::epsilon() * diagonal_[pivot_] : 0;
}

void PivotedCholesky::find_pivot() {
  pivot_ = static_cast<std::size_t>(std::ranges::max_element(diagonal_) - diagonal_.begin());
}

bool PivotedCholesky::extend() {
  if (stride_ == 0 || !(diagonal_[pivot_] > least_pivot_)) return false;
  const auto of_pivot = density_->col(functions_[pivot_]);
  const double at_pivot = bounds_[pivot_];
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    next_[i] = bounds_[i] * at_pivot * of_pivot[functions_[i]];
  }
  factors_.resize(static_cast<std::size_t>(count_));
  for (int j = 0; j < count_; ++j) factors_[j] = weighted(j, pivot_);
  const double scale = 1 / std::sqrt(diagonal_[pivot_]);
  const double roots = HWY_DYNAMIC_DISPATCH(Eliminate)(columns_.data(), stride_, factors_, scale,
                                                       next_.data(), diagonal_.data());
  const double left_at_pivot = std::sqrt(diagonal_[pivot_]);  // nothing but rounding
  diagonal_[pivot_] = 0;
  remainder_ = (roots - left_at_pivot) * (roots - left_at_pivot);
  columns_.insert(columns_.end(), next_.begin(), next_.end());
  ++count_;
  find_pivot();
  return true;
}

}  // namespace isolume::orbitals
#endif
