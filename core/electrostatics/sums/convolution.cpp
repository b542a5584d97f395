#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/sums/convolution.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <hwy/highway.h>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/sums/convolution.h"

#ifndef ISOLUME_ELECTROSTATICS_ROW_TERM
#define ISOLUME_ELECTROSTATICS_ROW_TERM
namespace isolume::electrostatics {

/// A row that contributes to another, padded at both ends by the reach of its weights.
struct RowTerm {
  const double* from;     ///< its first point
  const double* weights;  ///< for steps 0 to reach
  int reach;
};

constexpr int points_at_once = 32;

}  // namespace isolume::electrostatics
#endif

HWY_BEFORE_NAMESPACE();
namespace isolume::electrostatics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using RowLanes = hn::CappedTag<double, 8>;

/// Computes points_at_once sums, from `first` on.
void SumRows(const RowTerm* terms, std::size_t count, int first, double* HWY_RESTRICT sums) {
  const RowLanes d;
  constexpr int vectors = 4;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int done = 0; done < points_at_once; done += vectors * lanes) {
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (const RowTerm* term = terms; term != terms + count; ++term) {
      const double* at = term->from + first + done;
      for (int step = -term->reach; step <= term->reach; ++step) {
        const auto weight = hn::Set(d, term->weights[std::abs(step)]);
        sum0 = hn::MulAdd(weight, hn::LoadU(d, at + step), sum0);
        sum1 = hn::MulAdd(weight, hn::LoadU(d, at + step + lanes), sum1);
        sum2 = hn::MulAdd(weight, hn::LoadU(d, at + step + 2 * lanes), sum2);
        sum3 = hn::MulAdd(weight, hn::LoadU(d, at + step + 3 * lanes), sum3);
      }
    }
    hn::StoreU(sum0, d, sums + done);
    hn::StoreU(sum1, d, sums + done + lanes);
    hn::StoreU(sum2, d, sums + done + 2 * lanes);
    hn::StoreU(sum3, d, sums + done + 3 * lanes);
  }
}

}  // namespace isolume::electrostatics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::electrostatics {
namespace {

HWY_EXPORT(SumRows);

/// Rows padded with zeros by the kernel's reach and the number of points summed at once.
class PaddedRows {
 public:
  PaddedRows(const NumberBox& numbers, int reach)
      : rows_(static_cast<std::size_t>(numbers.points[1])),
        reach_(static_cast<std::size_t>(reach)),
        pitch_(static_cast<std::size_t>(numbers.points[0]) + 2 * reach_ + points_at_once),
        values_(pitch_ * rows_ * numbers.points[2]) {
    for (int z = 0; z < numbers.points[2]; ++z) {
      for (int y = 0; y < numbers.points[1]; ++y) {
        const auto from = numbers.values.begin() + static_cast<std::ptrdiff_t>(numbers.at(0, y, z));
        std::copy_n(from, numbers.points[0], values_.begin() + static_cast<std::ptrdiff_t>(offset(y, z)));
      }
    }
  }
  const double* row(int y, int z) const { return values_.data() + offset(y, z); }

 private:
  std::size_t offset(int y, int z) const {
    return pitch_ * (static_cast<std::size_t>(y) + rows_ * static_cast<std::size_t>(z)) + reach_;
  }
  std::size_t rows_, reach_, pitch_;
  std::vector<double> values_;
};

std::vector<RowTerm> terms_of_row(const NumberBox& numbers, const PaddedRows& rows, const EvenKernel& kernel,
                                  int y, int z) {
  const auto& [nx, ny, nz] = numbers.points;
  std::vector<RowTerm> terms;
  for (int k = std::max(0, z - kernel.reach[2]); k <= std::min(nz - 1, z + kernel.reach[2]); ++k) {
    for (int j = std::max(0, y - kernel.reach[1]); j <= std::min(ny - 1, y + kernel.reach[1]); ++j) {
      const int dy = std::abs(j - y), dz = std::abs(k - z);
      const double left = kernel.radius * kernel.radius - dy * dy - dz * dz;
      if (left < 0) continue;
      const int reach = std::min(kernel.reach[0], static_cast<int>(std::min(std::sqrt(left), 1e9)));
      const double* weights = kernel.values.data() + static_cast<std::size_t>(kernel.reach[0] + 1) *
                                                         (static_cast<std::size_t>(dy) +
                                                          static_cast<std::size_t>(kernel.reach[1] + 1) * dz);
      terms.push_back({rows.row(j, k), weights, reach});
    }
  }
  return terms;
}

}  // namespace

NumberBox convolved(const NumberBox& numbers, const EvenKernel& kernel, const jobs::Progress& progress) {
  NumberBox found{numbers.points, std::vector<double>(numbers.values.size())};
  const PaddedRows rows(numbers, kernel.reach[0]);
  const int nx = numbers.points[0], ny = numbers.points[1];
  using RowRange = tbb::blocked_range<int>;
  handover::parallel_for(RowRange(0, ny * numbers.points[2], 1), [&](const RowRange& some) {
    for (int row = some.begin(); row != some.end(); ++row) {
      progress.check();
      const auto terms = terms_of_row(numbers, rows, kernel, row % ny, row / ny);
      for (int first = 0; first < nx; first += points_at_once) {
        double sums[points_at_once];
        HWY_DYNAMIC_DISPATCH(SumRows)(terms.data(), terms.size(), first, sums);
        std::copy_n(sums, std::min(points_at_once, nx - first),
                    found.values.begin() + static_cast<std::ptrdiff_t>(found.at(first, row % ny, row / ny)));
      }
    }
  });
  return found;
}

}  // namespace isolume::electrostatics
#endif
