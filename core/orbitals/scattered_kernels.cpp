// Arrays of vectors keep the accumulators in registers; the scalable instruction sets do not allow them.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/scattered_kernels.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/molecules/basis_set.h"
#include "core/orbitals/scattered_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::scattered::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));
/// Register tile of the product: columns x vectors of points.
constexpr int tile_vectors = lanes >= 16 ? 4 : 2;
constexpr int tile_columns = 4;
static_assert(batch_points % (tile_vectors * lanes) == 0);

void RelativePlaces(const double* HWY_RESTRICT places, double centre, float* HWY_RESTRICT relative) {
  const hn::CappedTag<double, 8> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const auto from = hn::Set(dd, centre);
  for (std::size_t n = 0; n < batch_points; n += hn::Lanes(dd)) {
    hn::Store(hn::DemoteTo(df, hn::Sub(hn::LoadU(dd, places + n), from)), df, relative + n);
  }
}

HWY_INLINE void FillPowers(Vector value, int highest, Vector* powers) {
  powers[0] = hn::Set(Tag(), 1.0F);
  for (int n = 1; n <= highest; ++n) powers[n] = hn::Mul(powers[n - 1], value);
}

void FillShellRows(const ShellRowsJob& job) {
  const Tag d;
  const int highest = job.powers.front().x;  // x^l comes first
  for (int n = 0; n < batch_points; n += lanes) {
    const Vector x = hn::Load(d, job.x + n);
    const Vector y = hn::Load(d, job.y + n);
    const Vector z = hn::Load(d, job.z + n);
    const Vector distance_squared = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
    Vector radial = hn::Zero(d);
    for (std::size_t p = 0; p < job.exponents.size(); ++p) {
      const Vector exponential = hn::Exp(d, hn::Mul(hn::Set(d, -job.exponents[p]), distance_squared));
      radial = hn::MulAdd(hn::Set(d, job.coefficients[p]), exponential, radial);
    }
    Vector x_powers[molecules::max_angular_momentum + 1];
    Vector y_powers[molecules::max_angular_momentum + 1];
    Vector z_powers[molecules::max_angular_momentum + 1];
    FillPowers(x, highest, x_powers);
    FillPowers(y, highest, y_powers);
    FillPowers(z, highest, z_powers);
    float* to = job.rows + n;
    for (const Powers powers : job.powers) {
      const Vector yz = hn::Mul(y_powers[powers.y], z_powers[powers.z]);
      hn::Store(hn::Mul(hn::Mul(radial, x_powers[powers.x]), yz), d, to);
      to += batch_points;
    }
  }
}

template <int columns>
HWY_INLINE void MultiplyTile(const ProductJob& job, int first_column, int first_point,
                             Vector (&sums)[tile_columns][tile_vectors]) {
  const Tag d;
#pragma GCC unroll 4
  for (int k = 0; k < columns; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < tile_vectors; ++v) sums[k][v] = hn::Zero(d);
  }
  const float* row = job.rows + first_point;
  for (const std::int32_t index : job.indices) {
    const float* c = job.coefficients + static_cast<std::ptrdiff_t>(index) * job.columns + first_column;
#pragma GCC unroll 4
    for (int v = 0; v < tile_vectors; ++v) {
      const Vector values = hn::Load(d, row + v * lanes);
#pragma GCC unroll 4
      for (int k = 0; k < columns; ++k) sums[k][v] = hn::MulAdd(hn::Set(d, c[k]), values, sums[k][v]);
    }
    row += batch_points;
  }
}

/// Calls `take(column, first_point, sums of that column)` for every column and vector tile.
template <class Take>
HWY_INLINE void MultiplyAll(const ProductJob& job, const Take& take) {
  Vector sums[tile_columns][tile_vectors];
  for (int point = 0; point < batch_points; point += tile_vectors * lanes) {
    int column = 0;
    for (; column + tile_columns <= job.columns; column += tile_columns) {
      MultiplyTile<tile_columns>(job, column, point, sums);
      for (int k = 0; k < tile_columns; ++k) take(column + k, point, sums[k]);
    }
    for (; column < job.columns; ++column) {
      MultiplyTile<1>(job, column, point, sums);
      take(column, point, sums[0]);
    }
  }
}

void MultiplyRows(const ProductJob& job, float* HWY_RESTRICT values) {
  MultiplyAll(job, [&](int column, int point, const Vector(&sums)[tile_vectors]) HWY_ATTR {
    for (int v = 0; v < tile_vectors; ++v) {
      hn::Store(sums[v], Tag(), values + column * batch_points + point + v * lanes);
    }
  });
}

void SumSquares(const ProductJob& job, const float* HWY_RESTRICT weights, float* HWY_RESTRICT values) {
  std::fill(values, values + batch_points, 0.0F);
  MultiplyAll(job, [&](int column, int point, const Vector(&sums)[tile_vectors]) HWY_ATTR {
    const Tag d;
    const Vector weight = hn::Set(d, weights[column]);
    for (int v = 0; v < tile_vectors; ++v) {
      float* to = values + point + v * lanes;
      hn::Store(hn::MulAdd(hn::Mul(weight, sums[v]), sums[v], hn::Load(d, to)), d, to);
    }
  });
}

}  // namespace isolume::orbitals::scattered::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals::scattered {

HWY_EXPORT(RelativePlaces);
HWY_EXPORT(FillShellRows);
HWY_EXPORT(MultiplyRows);
HWY_EXPORT(SumSquares);

void relative_places(const double* places, double centre, float* relative) {
  HWY_DYNAMIC_DISPATCH(RelativePlaces)(places, centre, relative);
}
void fill_shell_rows(const ShellRowsJob& job) {
  HWY_DYNAMIC_DISPATCH(FillShellRows)(job);
}
void multiply_rows(const ProductJob& job, float* values) {
  HWY_DYNAMIC_DISPATCH(MultiplyRows)(job, values);
}
void sum_squares(const ProductJob& job, const float* weights, float* values) {
  HWY_DYNAMIC_DISPATCH(SumSquares)(job, weights, values);
}

}  // namespace isolume::orbitals::scattered
#endif
